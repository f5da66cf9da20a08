"""Functions that one path makes, with variables of their own around them, and that are called after it."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

CALLS = [
    (np.array(values), np.int64(n))
    for values, n in (
        ([1.0, 1.0, 1.0], 0),
        ([2.0, -1.0, 3.0], 2),
        ([0.5, 4.0, -3.0], 3),
        ([2.0, 3.0, 3.0], 1),
    )
]


def counter(start):
    total = start

    def add(v):
        nonlocal total
        total = total + v
        return total

    return add


def scale(k):
    return lambda v: v * k


def counted(v):
    def told():
        return v

    told.calls = 0
    return told


@of(*CALLS)
def with_an_attribute(x, n):
    f = counted(1)
    try:
        if x[0] > 1:
            raise KeyError(n)
    except KeyError:
        f = counted(2)
    if x[1] > 0:
        f.calls += 1
    return f(), f.calls


@of(*CALLS)
def one_of_two_in_a_dict(x, n):
    held = {"add": counter(x[0]), "other": None}
    if n > 1:
        held["other"] = held["add"]
        held["add"] = scale(x[1] * 3)
    return held["add"](1.0), 0.0 if held["other"] is None else held["other"](1.0)


@of(*CALLS)
def a_default_of_the_only_path(x, n):
    if x[0] > 1e9:
        raise ValueError(n)
    else:
        k = x[1] * 2

        def f(a, k=k, *, m=x[2] * n):
            return a + k - m

    return f(1.0)


test_program = PROGRAMS.test()


def test_a_function_whose_default_its_path_computes():
    def program(x, n):
        f = None
        if x[0] > 1:
            f = lambda a, k=x[1] * 2: a + k
        return 0.0 if f is None else f(1.0)

    assert not check(program, *CALLS, may_refuse=True)
    with pytest.raises(StagingError, match="`f` gets an object that holds what one path"):
        rt.function(program)(*CALLS[0])


def test_a_class_whose_attribute_its_path_computes():
    def program(x, n):
        made = None
        if x[0] > 1:

            class Unit:
                size = x[1] * 2

            made = Unit()
        return 0.0 if made is None else made.size

    assert not check(program, *CALLS, may_refuse=True)
    with pytest.raises(StagingError, match="`made` gets an object that holds what one path"):
        rt.function(program)(*CALLS[0])


class Unit:
    def __init__(self, size):
        self.size = size


def test_what_helps_where_a_class_is_made_inside():
    def program(x, n):
        made = None
        if x[0] > 1:
            made = Unit(x[1] * 2)
        return 0.0 if made is None else made.size

    assert check(program, *CALLS)
