"""The rows of the feature table as programs: each row is a small function and several calls of it.

    @row("if else", floats(1, -2), floats(-3, 4))
    def if_else(x):
        ...

A call is one argument, or a tuple of arguments, or a `Call`. Where a program needs classes, closures, the
decorator in the middle or a change between calls, it is a `scenario(name)`: a function of the decorator.
"""

from __future__ import annotations

import importlib
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.differential import Difference, Refused, check_converted
from tests.programs import Program, Programs, as_call

ROWS = Programs()
HERE = pathlib.Path(__file__).parent
#: section name -> module name, where the section's name is no module name
MODULES = {"if": "if_", "while": "while_", "for": "for_", "with": "with_", "try": "try_", "raise": "raise_"}
MODULES |= {"match": "match_", "async": "async_", "lambda": "lambda_", "assign": "assign", "print": "print_"}


class Row(Program):
    """One row of the table, and the program that stands for it."""

    def run(self, engine: str, may_refuse: bool = False) -> bool:
        """Compare with plain Python; True when the row is right, False when it was refused properly."""
        if self.kind == "gradient":
            return check_gradient(self.program, self.calls, engine, may_refuse)
        return super().run(engine, may_refuse)


def row(name: str, *calls: Any, **options: Any) -> Callable[[Any], Any]:
    """Register the decorated function as the program of a row."""
    return lambda program: ROWS.add(Row(name, program, tuple(map(as_call, calls)), "function", options))


def scenario(name: str, **options: Any) -> Callable[[Any], Any]:
    """Register a function of the decorator as the program of a row; its result is what is compared."""
    return lambda program: ROWS.add(Row(name, program, (), "scenario", options))


def gradient(name: str, *points: Any) -> Callable[[Any], Any]:
    """Register a function whose derivative is compared with a central difference of plain Python."""
    return lambda program: ROWS.add(Row(name, program, points, "gradient"))


def floats(*values: Any) -> np.ndarray[Any, Any]:
    """A float64 array.

    >>> floats(1, 2)
    array([1., 2.])
    """
    return np.array(values, dtype=np.float64)


def ints(*values: Any) -> np.ndarray[Any, Any]:
    """An int64 array."""
    return np.array(values, dtype=np.int64)


def table() -> dict[tuple[str, str], str]:
    """(section, row) -> what happens, for each row of the feature table."""
    lines = (HERE / "rows.txt").read_text().splitlines()
    split = (re.split(": | \\| ", line, maxsplit=2) for line in lines)
    return {(section, name): happens for section, name, happens in split}


def sections() -> list[str]:
    """The sections of the table, in its order."""
    return list(dict.fromkeys(section for section, _ in table()))


def module_of(section: str) -> str:
    """The module that holds the programs of a section.

    >>> module_of("array-write")
    'tests.features.array_write'
    """
    return "tests.features." + MODULES.get(section, section.replace("-", "_"))


def load() -> Programs:
    """Import the programs of all sections."""
    for section in sections():
        importlib.import_module(module_of(section))
    return ROWS


def check_gradient(f: Any, points: tuple[Any, ...], engine: str, may_refuse: bool) -> bool:
    """Compare `rt.grad(f)` with a central difference; no `rt.grad` at all counts as refused."""
    if engine == "convert":
        check_converted(f, *map(as_call, points))
        return True
    import runtime
    from autograph.errors import AutographError

    if not hasattr(runtime, "grad"):
        if not may_refuse:
            raise Refused("the runtime has no `grad`")
        return False
    for point in points:
        expected = central_difference(f, point)
        try:
            got = runtime.grad(runtime.function(f, engine=engine))(point.copy())
        except AutographError:
            if not may_refuse:
                raise
            return False
        if not np.allclose(expected, got, rtol=1e-5, atol=1e-6):
            raise Difference(f"gradient at {point}: expected {expected}, got {got}")
    return True


def central_difference(f: Any, point: np.ndarray[Any, Any], step: float = 1e-5) -> np.ndarray[Any, Any]:
    """The gradient of a scalar function of one array.

    >>> central_difference(lambda x: float((x * x).sum()), floats(1, 2)).round(6)
    array([2., 4.])
    """
    slopes = np.zeros_like(point)
    for index in np.ndindex(point.shape):
        low, high = point.copy(), point.copy()
        low[index] -= step
        high[index] += step
        slopes[index] = (float(f(high)) - float(f(low))) / (2 * step)
    return slopes
