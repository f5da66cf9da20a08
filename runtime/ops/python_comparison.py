"""Comparisons of Python numbers, and the choice between values: ``py.lt``, ``py.not``, ``py.select``.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["py.lt"].kernel(2**53, 2.0**53 + 2)
True
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from runtime.ops import expressions
from runtime.ops.definition import PURE, none, op
from runtime.ops.python_numbers import (
    F64,
    I64,
    PAIRS,
    number_rule,
)
from runtime.types import (
    BOOL,
    ArrayType,
    Type,
)


def _native_comparison(method: str) -> Callable[..., Any]:
    def native(b: Any, x: Any, y: Any) -> Any:
        kinds = {b.dtype(x).kind, b.dtype(y).kind}
        if "c" in kinds:
            return NotImplemented
        if kinds <= {"b", "i"}:
            return getattr(b, method)(b.convert(x, I64), b.convert(y, I64))
        if kinds == {"f"}:
            return getattr(b, method)(x, y)
        return exact_comparison(b, method, x, y)

    return native


def exact_comparison(b: Any, method: str, x: Any, y: Any) -> Any:
    """An int with a float. Python compares exactly; where rounding the int makes them equal, compare ints."""
    as_float = getattr(b, method)(b.convert(x, F64), b.convert(y, F64))
    i, f = (y, x) if b.dtype(x) == F64 else (x, y)
    i = b.convert(i, I64)
    tie = b.eq(b.convert(i, F64), f)
    in_range = b.and_(tie, b.lt(f, b.constant(2.0**63, F64)))
    whole = b.convert(b.select(in_range, f, b.constant(0.0, F64)), I64)
    ints = (whole, i) if b.dtype(x) == F64 else (i, whole)
    as_int = getattr(b, method)(*ints)
    # a tie with 2.0**63 cannot be converted: the int is smaller
    small, large = b.constant(0, I64), b.constant(1, I64)
    beyond = getattr(b, method)(*((large, small) if b.dtype(x) == F64 else (small, large)))
    return b.select(tie, b.select(in_range, as_int, beyond), as_float)


def comparison(name: str, function: Callable[..., Any], method: str, traits: Sequence[str] = ()) -> None:
    op(
        name,
        kernel=function,
        infer=number_rule(function, name),
        native=_native_comparison(method),
        effects=PURE,
        samples=[*PAIRS, [3, 3.0], [2**53 + 1, 2.0**53]],
        family="python comparison",
        vjp=none("comparison"),
        traits=traits,
    )


comparison("py.lt", operator.lt, "lt")
comparison("py.le", operator.le, "le")
comparison("py.gt", operator.gt, "gt")
comparison("py.ge", operator.ge, "ge")
comparison("py.eq", operator.eq, "eq", ["commutative"])
comparison("py.ne", operator.ne, "ne", ["commutative"])


# -- choice --------------------------------------------------------------------------------------------


def select_rule(types: tuple[Type, ...]) -> Type:
    condition, x, y = types
    if condition != BOOL or x != y or isinstance(x, ArrayType):
        raise TypeError(f"py.select takes a bool and two values of one immutable type, not {x} and {y}")
    return x


def _select_vjp(g: Any, y: Any, condition: Any, a: Any, b: Any) -> tuple[Any, ...]:
    where = expressions.ops.where
    return None, where(condition, g, 0), where(condition, 0, g)


op(
    "py.select",
    kernel=lambda condition, x, y: x if condition else y,
    infer=select_rule,
    native=lambda b, condition, x, y: b.select(condition, x, y),
    effects=PURE,
    samples=[[True, 1, 2], [False, 1.5, 2.5]],
    family="python choice",
    vjp=_select_vjp,
)
