"""`vars(o)` tells the attributes in the order in which they were set."""

import numpy as np
import pytest

import runtime as rt

KEPT = []


class Leaf:
    def __init__(self, v):
        self.v = v
        self.n = 0


def of_a_chosen_value(n):
    leaf = Leaf([n] if n > 1 else None)
    if n < 5:
        KEPT.append(leaf)
    return leaf


def of_one_that_a_path_sets_first(n):
    leaf = Leaf(n)
    if n > 1:
        leaf.first = 1
    KEPT.append(leaf)
    leaf.last = 2
    return leaf


@pytest.mark.parametrize("program", [of_a_chosen_value, of_one_that_a_path_sets_first])
def test_of_an_object_that_is_kept(program):
    decorated = rt.function(program)
    for n in (2, 0, 7):
        assert list(vars(decorated(np.int64(n)))) == list(vars(program(np.int64(n))))
