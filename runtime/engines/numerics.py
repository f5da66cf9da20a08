"""Where a NaN or an infinity comes from: a run that looks at what each operation makes.

>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph f(x: f64[2]) -> f64[2]:
...     y: f64[2] = negative(x)
...     z: f64[2] = log(y)
...     return z
... ''')
>>> try:
...     checked_run(graph)([np.array([-1.0, 2.0])])
... except NumericsError as error:
...     print(error.message)
`log` makes a NaN of finite values, at index 1: log(-2.0)

The graph as it was traced runs, on the numpy engine: the order and the values are those of the program.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import AutographError
from runtime.engines import numpy_engine
from runtime.engines.numpy_control_flow import Registers, Step
from runtime.graph import Graph, Operation
from runtime.ops import REGISTRY
from runtime.types import ArrayType, NumberType, ScalarType

HINT = "test for the values that have no finite result before, as in np.where(x > 0, x, 1.0)"
#: families whose operations make no numbers that were not there before
_MOVING = frozenset({
    "constant", "container", "control flow", "creation", "indexing", "object", "shape", "sorting", "store",
    "string",
})  # fmt: skip


class NumericsError(AutographError, FloatingPointError):
    """An operation made a NaN or an infinity out of finite values, while ``check_numerics`` was on."""

    __module__ = "runtime.debugging"


def checked_run(graph: Graph) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """What runs a graph and raises NumericsError, at the user's line, at the first that is not finite."""
    executable = numpy_engine.compile(graph, around=_checking)

    def run(arguments: Sequence[Any]) -> Sequence[Any]:
        with np.errstate(all="ignore"):
            return executable(arguments)

    return run


def _checking(operation: Operation, step: Step, inputs: list[int], outputs: list[int]) -> Step:
    """The step of an operation with a look at its operands before, and at what it makes after."""
    if not _computes(operation):
        return step
    effects = REGISTRY[operation.name].effects_of(
        tuple([value.type for value in operation.inputs]), operation.attributes
    )

    def checked(r: Registers) -> None:
        operands = [r[k] for k in inputs]
        finite = all(map(is_finite, operands))
        kept = [_kept(value, k in effects.writes) for k, value in enumerate(operands)] if finite else []
        step(r)
        if finite:
            for made in (*[r[k] for k in outputs], *[operands[k] for k in effects.writes]):
                if not is_finite(made):
                    raise NumericsError(_in_words(operation, kept, made), hint=HINT)

    return checked


def _kept(value: Any, is_written: bool) -> Any:
    return value.copy() if is_written and isinstance(value, np.ndarray) else value


def _computes(operation: Operation) -> bool:
    """Does it make numbers of numbers alone?"""
    family, given = REGISTRY[operation.name].family, operation.attributes
    moves = family in _MOVING or (family == "memory" and not given.keys() & {"ufunc", "function", "dtype"})
    if moves or not operation.inputs:
        return False
    numbers = ArrayType | NumberType | ScalarType
    if not all(isinstance(value.type, numbers) for value in operation.inputs):
        return False
    return all(is_finite(value) for value in given.values())


def is_finite(value: Any) -> bool:
    """Is there no NaN and no infinity in a number or an array? Anything else is finite.

    >>> is_finite(np.array([1.0, np.inf])), is_finite(float("nan")), is_finite("nan"), is_finite(10**400)
    (False, False, True, True)
    """
    if isinstance(value, float | complex):
        return cmath.isfinite(value)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc":
        return bool(np.isfinite(value).all())
    return True


def _in_words(operation: Operation, operands: list[Any], made: Any) -> str:
    what = "a NaN" if np.isnan(made).any() else "an infinity"
    text = f"`{_name(operation)}` makes {what} of finite values"
    if np.shape(made) == ():
        scalars = all(np.shape(operand) == () for operand in operands)
        return f"{text}: {_call(operation, operands)}" if scalars else text
    first = np.argwhere(~np.isfinite(made))[0]
    index = f"index {', '.join(map(str, first))}"
    if REGISTRY[operation.name].family != "elementwise" and not operation.is_inplace:
        return f"{text}, at {index} of the result"
    there = [np.broadcast_to(operand, np.shape(made))[tuple(first)] for operand in operands]
    return f"{text}, at {index}: {_call(operation, there)}"


def _call(operation: Operation, operands: list[Any]) -> str:
    return f"{_name(operation)}({', '.join([str(operand) for operand in operands])})"


def _name(operation: Operation) -> str:
    """`true_divide` for `x /= y`, and `cov` for a call of that function."""
    function = operation.attributes.get("function", operation)
    name = operation.attributes.get("ufunc") or getattr(function, "__name__", operation.name)
    return str(name).removeprefix("py.")
