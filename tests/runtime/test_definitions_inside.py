"""Functions and classes that are defined inside: their decorators and class bodies run in each call."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
X, Y = np.array([1.0, -2.0, 3.0]), np.array([-1.0, 2.0, 0.5])
MADE = []


def noted(v):
    print("noted", v)
    MADE.append(v)
    return v


@PROGRAMS.of(X, Y)
def calls_in_a_class_body(x):
    class Made:
        first = noted(3)
        MADE.append(4)
        print("body")

        def method(self, v=noted(5)):
            return v

    return Made().method() + Made.first, len(MADE)


KEPT = {"a": 0.0}


@PROGRAMS.of(X, Y)
def stores_of_items_in_a_class_body(x):
    key = "b"

    class Made:
        KEPT["a"] += 1
        KEPT[key] = KEPT["c"] = x[0]
        KEPT["a"], second = KEPT["a"] + 1, x[1]
        if key:
            KEPT["d"] = 1
        del KEPT["c"]
        first = KEPT["a"]

    return Made.first, Made.second, sorted(KEPT)


def test_a_function_may_not_be_stored_outside_by_its_decorator():
    def f(x):
        @MADE.append
        def g(v):
            return v

        return x

    with pytest.raises(StagingError, match="the function `g` made inside"):
        rt.function(f)(X)
    assert not MADE


test_definitions = PROGRAMS.test()
