"""A fresh lambda that does what an earlier one did is not traced again, where nobody can tell the two."""

import functools

import numpy as np
import pytest

import runtime as rt
from tests.differential import check_scenario

X = np.array([1.0, 2.0])


def apply(f, x):
    for _ in range(3):
        if x.sum() < 100:
            x = f(x)
    return x


def scaled_by(k):
    return lambda v: v * k


MAKERS = {
    "nothing around it": lambda: lambda v: v + 1.0,
    "a default": lambda: lambda v, k=2.5: v * k,
    "a factory": lambda: scaled_by(2.5),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_one_trace(make):
    f = rt.function(apply)
    assert all(np.array_equal(f(make(), X), apply(make(), X)) for _ in range(4))
    assert f.trace_count == 1


class Model:
    def step(self, x):
        return x * 2.0


MODEL = Model()
SAME = {
    "a bound method": lambda: MODEL.step,
    "a method of a new object": lambda: Model().step,
    "a partial": lambda: functools.partial(np.add, 1.0),
}


@pytest.mark.parametrize("make", SAME.values(), ids=SAME)
def test_one_trace_for_other_callables_that_are_made_anew(make):
    f = rt.function(lambda g, x, options: apply(g, x) * options["rate"])
    for _ in range(4):
        assert np.array_equal(f(make(), X, {"rate": 0.5}), apply(make(), X) * 0.5)
    assert f.trace_count == 1


def other_constants(function):
    f = function(apply)
    return [f(scaled_by(k), X) for k in (2.0, 3, 3.0, 2.0, 2, -0.0, 0.0)]


def one_variable_that_changes(function):
    f, k, found = function(apply), 1.0, []
    for _ in range(3):
        found.append(f(lambda v: v + k, X))
        k += 1.0
    return found


def variable_that_another_writes(function):
    def pair(k):
        def grow():
            nonlocal k
            k += 1.0

        return lambda v: v * k, grow

    @function
    def f(g, grow, x):
        grow()
        return g(x)

    found = []
    for _ in range(3):
        g, grow = pair(2.0)
        found += [f(g, grow, X), g(X)]
    return found


def arrays_around(function):
    f = function(apply)
    return [f(scaled_by(X * k), X) for k in (1, 2, 3)]


def another_default(function):
    f, found = function(apply), []
    for k in (1.0, 2.0, 1.0):
        found.append(f(lambda v, k=k: v + k, X))
    return found


SCENARIOS = [
    other_constants,
    one_variable_that_changes,
    variable_that_another_writes,
    arrays_around,
    another_default,
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_means_the_same(scenario):
    check_scenario(scenario)
