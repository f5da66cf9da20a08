"""Context managers as decorators of functions that a trace calls: `contextlib.ContextDecorator`."""

import contextlib

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check_scenario

ONES = np.ones(3)
RAMP = np.arange(4.0)
SETTINGS = {"scale": 2.0}


class Track(contextlib.ContextDecorator):
    """Prints where its block begins and ends, and counts the entries."""

    def __init__(self, name):
        self.name = name
        self.entered = 0

    def __enter__(self):
        self.entered += 1
        print("enter", self.name, self.entered)
        return self

    def __exit__(self, kind, error, traceback):
        print("exit", self.name, kind is None)
        return False


class Swallow(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return kind is ValueError


@contextlib.contextmanager
def scaled(name, settings=SETTINGS):
    print("begin", name, settings["scale"])
    yield settings["scale"]
    print("end", name)


@contextlib.contextmanager
def closing(name):
    try:
        yield
    finally:
        print("closed", name)


def double(x, k=2.0):
    """Twice what is positive."""
    if x.sum() > 0:
        return x * k
    return x


def root(x):
    if x.sum() < 0:
        raise ValueError(f"{x.sum()} is negative")
    return np.sqrt(x)


CALLS = [ONES, -ONES, RAMP, -RAMP]
DECORATORS = {
    "an object": lambda: Track("a"),
    "an exit that swallows": Swallow,
    "two": lambda: lambda f: Track("outer")(Track("inner")(f)),
}


@pytest.mark.parametrize("callee", [double, root])
@pytest.mark.parametrize("kind", DECORATORS)
def test_a_decorated_callee_runs_in_its_context(callee, kind):
    def scenario(function):
        decorated = DECORATORS[kind]()(callee)

        @function
        def program(x):
            return decorated(x), decorated(x + 1)

        return [_outcome(program, x) for x in CALLS]

    check_scenario(scenario)


def _outcome(program, x):
    try:
        return program(x)
    except ValueError as error:
        return str(error)


ONCE = scaled("once")
decorated = scaled("outside")(double)


def entered(x):
    with ONCE as scale:
        return x * scale


def decorated_inside(x):
    @closing("it")
    def inner(y):
        return y * 2

    return inner(x)


@pytest.mark.parametrize("program", [entered, decorated_inside, lambda x: decorated(x)])
def test_managers_of_generators_decorate_nothing(program):
    with pytest.raises(autograph.StagingError, match="made outside, or decorates a function") as error:
        rt.function(program)(ONES)
    assert error.value.file == __file__
