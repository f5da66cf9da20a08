"""What functions and classes are called, and how they are described, may change between two calls."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

import autograph
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
settings = types.ModuleType("settings")
settings.__version__ = "1.0"


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
        (math, "__doc__", "Numbers."),
        (settings, "__version__", "2.0"),
    ],
)
def test_names_and_texts(owner, name, value):
    def program(x):
        said = [helper.__name__, helper.__doc__, Tool.__name__, Tool.__qualname__, Tool.__doc__]
        said += [getattr(Tool.turn, "__name__"), TOOL.turn.__doc__, type(TOOL).__name__]
        said += [math.__doc__, settings.__version__, settings.__name__]
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


class Other:
    pass


SETTINGS, OTHERS = types.SimpleNamespace(rate=1), types.SimpleNamespace(rate=1)
CHANGES = {
    "attributes": ("getattr(helper, 'calls', 0)", lambda: setattr(helper, "calls", 4)),
    "bases": (
        "Tool.__bases__[0].__name__, isinstance(TOOL, Base)",
        lambda: setattr(Tool, "__bases__", (Other,)),
    ),
}
SOURCE = """
class Base: pass
class Tool(Base):
    def turn(self, x=2): return x
    @property
    def size(self): return 1
def helper(x, *, k=1): return x
TOOL = Tool()
def f(x): return {}
"""


@pytest.mark.parametrize("text, change", CHANGES.values(), ids=CHANGES)
def test_what_changes_between_calls(text, change):
    source = SOURCE.format(text)
    names = {"__name__": "mine"}
    exec(compile(source, autograph.register_source(source), "exec", dont_inherit=True), names)
    decorated = rt.function(names["f"])
    before = repr(names["f"](1.5))
    assert repr(decorated(1.5)) == before
    change = types.FunctionType(change.__code__, {**names, "Other": Other})
    change()
    assert repr(decorated(1.5)) == repr(names["f"](1.5)) != before


RNG = np.random.default_rng(3)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: helper.__closure__,
        lambda x: helper.__globals__["TOOL"],
        lambda x: Tool.__subclasses__(),
        lambda x: helper.__defaults__,
        lambda x: getattr(helper, "__kwdefaults__"),
        lambda x: helper.__annotations__,
        lambda x: (RNG.random() + x, RNG.bit_generator.state),
        lambda x: (lambda rng: rng.bit_generator)(np.random.default_rng(3)),
    ],
)
def test_what_no_guard_watches_is_refused(program):
    with pytest.raises(autograph.StagingError, match="would be read once, while tracing") as caught:
        rt.function(program)(1.5)
    assert caught.value.line == program.__code__.co_firstlineno


def test_the_function_behind_a_property_is_refused():
    with pytest.raises(autograph.StagingError, match="what `fget` gives would be read once") as refused:
        rt.function(lambda x: (range.start if x is None else property.fget, x))(1.5)
    assert "call a function in the property" in (refused.value.hint or "")


def test_the_bits_of_a_generator():
    bits = np.random.PCG64(3)
    with pytest.raises(autograph.StagingError, match="`bits` is a PCG64, and no change of it would be seen"):
        rt.function(lambda x: (bits.state["state"], x))(1.0)


def test_namespaces_that_are_compared():
    for program in (lambda x: OTHERS == SETTINGS, lambda x: OTHERS != SETTINGS):
        with pytest.raises(autograph.StagingError, match="a SimpleNamespace is compared as a whole"):
            rt.function(program)(1.5)
    assert rt.function(lambda x: type(SETTINGS).__name__)(1.5) == "SimpleNamespace"
