"""What functions and classes are called, and how they are described, may change between two calls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import runtime as rt


def helper(x):
    """Helps."""
    return x


class Tool:
    """Is used."""

    def turn(self, x):
        """Turns."""
        return x


TOOL = Tool()


@pytest.mark.parametrize(
    "owner, name, value",
    [
        (helper, "__name__", "aid"),
        (helper, "__doc__", "Aids."),
        (Tool, "__name__", "Wrench"),
        (Tool, "__qualname__", "mine.Wrench"),
        (Tool, "__doc__", None),
        (Tool.turn, "__name__", "screw"),
        (Tool.turn, "__doc__", "Screws."),
    ],
)
def test_names_and_texts(owner, name, value):
    def program(x):
        said = [helper.__name__, helper.__doc__, Tool.__name__, Tool.__qualname__, Tool.__doc__]
        said += [getattr(Tool.turn, "__name__"), TOOL.turn.__doc__, type(TOOL).__name__]
        return helper(x), said

    decorated = rt.function(program)
    before = program(1.5)
    assert decorated(1.5) == before
    held = getattr(owner, name)
    setattr(owner, name, value)
    try:
        assert decorated(1.5) == program(1.5) != before
    finally:
        setattr(owner, name, held)


def test_who_does_not_ask_is_not_traced_again():
    def helper(x):
        return x

    decorated = rt.function(lambda x: helper(x) + 1)
    decorated(np.ones(2))
    helper.__name__ = "aid"
    decorated(np.ones(2))
    assert decorated.trace_count == 1


def test_a_property_that_the_class_of_a_named_tuple_gets():
    class Pair(NamedTuple):
        a: float
        b: float

    def program(x, pair):
        return pair.total * x if hasattr(pair, "total") else pair.a * x

    decorated = rt.function(program)
    pair = Pair(1.0, 2.0)
    assert decorated(2.0, pair) == program(2.0, pair) == 2.0
    Pair.total = property(lambda pair: pair.a + pair.b)
    assert decorated(2.0, pair) == program(2.0, pair) == 6.0
    Pair.total = property(lambda pair: pair.a - pair.b)
    assert decorated(2.0, pair) == program(2.0, pair) == -2.0
    del Pair.total
    assert decorated(2.0, pair) == program(2.0, pair) == 2.0
