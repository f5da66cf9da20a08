"""Programs whose functions count their calls and read a global: both happen in each run, as in Python."""

from __future__ import annotations

import ast

import pytest

import runtime as rt
from tests.modules import module_of

#: `scale` changes between calls; `count` is compared after each.
TICK = """
import abc, collections, contextlib, dataclasses, enum, functools, itertools, operator, types, typing
count = 0
scale = 2.0
def tick(v=None):
    global count
    count += 1
    return scale if v is None else v * scale
"""


def each(programs: str) -> list[str]:
    """The definitions of `f` in a text, one at a time."""
    return [ast.unparse(one) for one in ast.parse(programs).body]


def each_of(expressions: str) -> list[str]:
    """A definition of `f` for each expression of a text, by lines and semicolons.

    >>> each_of("x; -x")
    ['def f(x):\\n    return x', 'def f(x):\\n    return -x']
    """
    parts = [part.strip() for part in expressions.replace("\n", ";").split(";")]
    return [f"def f(x):\n    return {part}" for part in parts if part]


def check_effects(world: str, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Compare what the calls of `f` give, print and count with plain Python, in a world for each side."""
    ours, plain = (module_of(TICK + world + program) for _ in range(2))
    decorated = rt.function(ours["f"])

    def seen(function, x: float) -> tuple:
        try:
            answer = repr(function(x))
        except Exception as error:  # compared, too
            answer = f"{type(error).__name__}: {error}"
        return answer, capsys.readouterr().out

    for call, x in enumerate((1.5, 2.5, -1.0, 3.0)):
        for names in (ours, plain):
            names["scale"] = 2.0 + (call > 1)
        assert seen(decorated, x) == seen(plain["f"], x)
        assert ours["count"] == plain["count"]
