"""Functions and classes that are defined inside: their decorators and class bodies run in each call."""

import contextlib
import functools

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
X, Y = np.array([1.0, -2.0, 3.0]), np.array([-1.0, 2.0, 0.5])
MADE = []


class Subject:
    def __init__(self):
        self.count = 0
        self.last = np.float64(0.0)

    def listen(self, one):
        self.count += 1
        if self.last < 2:
            self.last = one(self.last)
        return one


@PROGRAMS.of(X, Y)
def a_method_as_decorator_in_a_branch(x):
    subject = Subject()
    if x[0] > 0:

        @subject.listen
        @subject.listen
        def plus(v):
            return v + x[2]

    return subject.count, subject.last


@PROGRAMS.of(X, Y)
def a_decorator_that_acts_on_staged_values(x):
    weights = {}

    def register(name, weight=1.0):
        def keep(g):
            weights[name] = weight
            if weight > 0:
                weights[name] = weight + 1
            return g

        return keep

    @register("a", weight=x[0])
    def g(v):
        return v * 2

    return weights, g(x[1])


@PROGRAMS.of(X, Y)
def a_decorator_that_raises(x):
    def checked(g):
        if x[0] > 0:
            raise ValueError(f"not {x[0]}")
        return g

    @checked
    def g(v):
        return v

    return g(x[1])


@PROGRAMS.of(X, Y)
def decorators_of_the_standard_library(x):
    @contextlib.contextmanager
    def entered(v):
        print("in", v)
        yield v * 2

    @functools.cache
    def fib(k):
        return fib(k - 1) + fib(k - 2) if k > 1 else k

    def twice(g):
        @functools.wraps(g)
        def inner(*args):
            return g(*args) * 2

        return inner

    @twice
    def plus(v):
        return v + 1 if v > 0 else v

    with entered(x[0]) as y:
        return y, fib(6), plus(x[1]), plus.__name__


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


@PROGRAMS.of(X, Y)
def a_class_body_in_a_branch(x):
    if x[0] > 0:

        class Made:
            MADE.append(1)
            k = 2.0

        return Made.k * x[0]
    return x[1]


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


def default_of_the_class_scope(x):
    class Made:
        k = 3

        def method(self, v=(k if len(x) > 1 else 1)):
            return v

    return Made().method()


def test_a_default_reads_the_names_of_its_class():
    assert check(default_of_the_class_scope, (X,), (Y[:1],))


def test_a_function_may_not_be_stored_outside_by_its_decorator():
    def f(x):
        @MADE.append
        def g(v):
            return v

        return x

    with pytest.raises(StagingError, match="the function `g` made inside"):
        rt.function(f)(X)
    assert not MADE


def test_what_a_class_computes_in_a_branch():
    def f(x):
        if x[0] > 0:

            class Made:
                k = x[0]

            return Made.k
        return x[1]

    check(f, (X,), (-X,))


test_definitions = PROGRAMS.test()
