"""Comparisons of Python numbers, and the choice between values: ``py.lt``, ``py.not``, ``py.select``.

>>> from runtime.ops import REGISTRY
>>> REGISTRY["py.lt"].kernel(2**53, 2.0**53 + 2)
True
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from runtime.ops.definition import none, op, same_as
from runtime.ops.formulas import native, where
from runtime.ops.python_numbers import F64, I64, PAIRS, number_rule
from runtime.types import BOOL, ArrayType, Type


def comparison(name: str, function: Callable[..., Any], commutes: bool = False) -> None:
    def formula(x: Any, y: Any) -> Any:
        kinds = {x.kind, y.kind}
        if kinds <= {"b", "i"}:
            return function(x.to(I64), y.to(I64))
        return function(x, y) if kinds == {"f"} else exact_comparison(function, x, y)

    op(
        name,
        function,
        number_rule(function, name),
        formula=native("biuf", formula),
        samples=[*PAIRS, [3, 3.0], [2**53 + 1, 2.0**53]],
        family="python comparison",
        vjp=none("comparison"),
        traits=["commutative"] if commutes else [],
    )


def exact_comparison(test: Callable[..., Any], x: Any, y: Any) -> Any:
    """An int with a float. Python compares exactly; where rounding the int makes them equal, compare ints."""
    int_first = y.kind == "f"
    i, f = (x.to(I64), y) if int_first else (y.to(I64), x)
    in_order = lambda i, f: test(i, f) if int_first else test(f, i)
    tie = i.to(F64) == f
    in_range = tie & (f < 2.0**63)
    whole = where(in_range, f, 0).to(I64)
    beyond = in_order(i.of(0), i.of(1))  # a tie with 2.0**63 cannot be converted: the int is smaller
    return where(tie, where(in_range, in_order(i, whole), beyond), in_order(i.to(F64), f))


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    comparison(f"py.{_name}", getattr(operator, _name), commutes=_name in ("eq", "ne"))


# -- choice --------------------------------------------------------------------------------------------


def select_rule(types: tuple[Type, ...]) -> Type:
    condition, x, y = types
    if condition != BOOL or x != y or isinstance(x, ArrayType):
        raise TypeError(f"py.select takes a bool and two values of one immutable type, not {x} and {y}")
    return x


op(
    "py.select",
    lambda condition, x, y: x if condition else y,
    select_rule,
    formula=lambda b, condition, x, y: b.select(condition, x, y),
    samples=[[True, 1, 2], [False, 1.5, 2.5]],
    family="python choice",
    vjp=same_as("where"),
)
