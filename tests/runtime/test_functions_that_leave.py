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


def compose(f, g):
    return lambda v: f(g(v))


def counted(v):
    def told():
        return v

    told.calls = 0
    return told


class Holder:
    pass


@of(*CALLS)
def of_a_branch(x, n):
    a = x[0]
    add = counter(a)
    if n > 1:
        a = x[1] * 2
        add = counter(a)
    return add(0.0), add(1.0), a


@of(*CALLS)
def called_where_it_was_made(x, n):
    add = counter(x[0])
    if n > 1:
        add = counter(x[1] * 2)
        add(1.0)
    else:
        add(2.0)
    return add(0.0)


@of(*CALLS)
def of_a_branch_in_a_try(x, n):
    a = x[0]
    add = counter(a)
    try:
        a = x[1] * 2
        if n > 1:
            raise KeyError("left")
        if x[0] > 1:
            a = x[2]
        else:
            add = counter(a)
    except KeyError:
        add(1.0)
    return add(0.0), a


@of(*CALLS)
def before_what_is_raised(x, n):
    add = counter(x[0])
    try:
        add = counter(x[0] + 1)
        if n > 1:
            raise KeyError("left")
        add(2.0)
    except KeyError:
        add(1.0)
    return add(0.0)


@of(*CALLS)
def of_turns_of_a_loop(x, n):
    adders = [counter(x[0]), None]
    for v in x:
        if v > 1:
            adders[1] = counter(v * 2)
        adders[0](v)
    return adders[0](0.0), None if adders[1] is None else adders[1](1.0)


@of(*CALLS)
def around_another(x, n):
    f = scale(x[0])
    if x[1] > 0:
        f = compose(f, scale(x[1] * 2))
    elif n > 1:
        f = scale(x[1] + 7)
    return f(2.0)


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
def in_a_variable(x, n):
    f = counted(1)
    if x[0] > 1:
        f = counted(2)
        f.calls = x[1]
    return f.calls


@of(*CALLS)
def in_a_tuple(x, n):
    f = (counted(1), n)
    if x[0] > 1:
        g = counted(2)
        g.calls = x[1]
        f = (g, n)
    return f[0].calls


@of(*CALLS)
def one_of_two_that_an_object_holds(x, n):
    holder = Holder()
    holder.add = counter(x[0])
    if n > 1:
        holder.add = counter(x[1] * 3)
    return holder.add(1.0), holder.add(2.0)


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
