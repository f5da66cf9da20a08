"""`copy.copy` and `copy.deepcopy` of instances whose class says itself how, or derives from Python's."""

import copy

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

CALLS = [(np.int64(n),) for n in (1, 3, 0)]


class Deep:
    def __init__(self, v):
        self.v = v

    def __deepcopy__(self, memo):
        return Deep(copy.deepcopy(self.v, memo))


class Shallow:
    def __init__(self, v):
        self.v = v

    def __copy__(self):
        return Shallow(self.v)


class Own(list):
    pass


@pytest.mark.parametrize(
    "made, words",
    [
        (Deep, "a Deep is copied, whose class says itself how: `__deepcopy__`"),
        (Shallow, "a Shallow is copied, whose class says itself how: `__copy__`"),
    ],
)
def test_what_no_attributes_tell_is_refused(made, words):
    with pytest.raises(StagingError, match=words):
        rt.function(lambda n: copy.deepcopy([made([n])]))(np.int64(1))
    with pytest.raises(StagingError, match=r"a Own is copied, which is more than its attributes \(a list\)"):
        rt.function(lambda items: copy.deepcopy(items))(Own([1.0]))


def mixed(n):
    found = ["a", 2.5]
    for i in range(n):
        found.append(i)
        found.append("b")
    return found


def copies_of_a_mixed_list(n):
    found = mixed(n)
    last = found[-1]
    return copy.deepcopy(found), [copy.deepcopy(one) for one in found], copy.deepcopy([last, last, str(n)])


def test_items_of_which_only_a_run_knows_the_class():
    assert check(copies_of_a_mixed_list, *CALLS)
