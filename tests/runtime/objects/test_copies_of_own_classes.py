"""`copy.copy` and `copy.deepcopy` of instances whose class says itself how, or derives from Python's."""

import copy

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

CALLS = [(np.int64(n),) for n in (1, 3, 0)]


class Counted:
    def __init__(self, v):
        self.v = v

    def __copy__(self):
        print("copied", self.v)
        return Counted(self.v + 1)


class Deep:
    def __init__(self, v):
        self.v = v

    def __deepcopy__(self, memo):
        return Deep(copy.deepcopy(self.v, memo))


class Own(list):
    pass


def copied_on_one_path(n):
    counted = Counted(n)
    if n > 1:
        counted = copy.copy(counted)
    return counted.v, counted


def test_the_method_of_the_class_runs_on_the_path_taken():
    assert check(copied_on_one_path, *CALLS)


def test_what_no_attributes_tell_is_refused():
    with pytest.raises(StagingError, match="a Deep is copied, whose class says itself how: `__deepcopy__`"):
        rt.function(lambda n: copy.deepcopy([Deep([n])]))(np.int64(1))
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
