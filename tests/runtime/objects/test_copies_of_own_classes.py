"""`copy.copy` and `copy.deepcopy` of instances whose class says itself how, or derives from Python's."""

import copy

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.modules import module_of

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


class Loud(Deep):
    def __deepcopy__(self, memo):
        print("deep")
        return Loud(self.v)


def copied_on_one_path(n):
    counted = Counted(n)
    if n > 1:
        counted = copy.copy(counted)
    return counted.v, counted


def deep_on_one_path(n):
    deep = Deep([n])
    if n > 1:
        deep = copy.deepcopy(deep)
        deep.v.append(2)
    return deep.v


@pytest.mark.parametrize("f", [copied_on_one_path, deep_on_one_path])
def test_the_method_of_the_class_runs_on_the_path_taken(f):
    assert check(f, *CALLS)


def test_a_deep_copy_that_acts_is_refused():
    message = "`Loud.__deepcopy__` changes something, and Python calls it for a copy"
    with pytest.raises(StagingError, match=message):
        rt.function(lambda n: copy.deepcopy([Loud(n)]))(np.int64(1))


BASES = {"str": "'ab'", "int": "3", "float": "2.5", "list": "[1, 2]", "dict": "{'a': 1}"}


@pytest.mark.parametrize("way", ["copy.copy", "copy.deepcopy"])
@pytest.mark.parametrize("base", BASES)
def test_attributes_of_what_derives_from_a_value(base: str, way: str) -> None:
    source = f"""
import copy

class Own({base}):
    pass

def f(n):
    own = Own({BASES[base]})
    own.v, own.w = n, [n]
    if n > 1:
        other = {way}(own)
        other.v += 1
        n = other.v
    made = {way}(own)
    made.v = made.v + 1
    made.w.append(2)
    return own, own.v, own.w, made, made.v, made.w, n, own == made, type(made) is Own
"""
    assert check(module_of(source)["f"], *CALLS)


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
