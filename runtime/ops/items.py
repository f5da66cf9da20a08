"""Python's ``min``, ``max`` and ``sum`` over the items of an array, with Python's results.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> REGISTRY["py.min_item"].kernel(np.array([2.0, float("nan"), 1.0]))  # what a loop with < finds
np.float64(1.0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, UnsupportedError, op
from runtime.ops.expressions import Expr, ops, spread
from runtime.ops.promotion import numeric, shaped, trial
from runtime.types import ScalarType, Type


def _item(python: Callable[..., Any], first: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(x: Any) -> Any:
        if not len(x) or (x.dtype.kind in "fc" and np.isnan(x).any()):
            return python(x)  # raises for no items; with NaN the order decides
        return x[first(x)]

    return kernel


def _item_rule(types: tuple[Type, ...]) -> Type:
    (t,) = numeric(types, "min() or max()")
    return ScalarType(t.dtype)


def _extreme_vjp(g: Expr, y: Expr, x: Expr) -> tuple[Any, ...]:
    """Equal items have equal shares, as of ``np.max``."""
    equal = x == y
    return (g * equal / ops.sum(equal),)


for _name, _python, _first in (("py.min_item", min, np.argmin), ("py.max_item", max, np.argmax)):
    op(_name, _item(_python, _first), _item_rule, MAY_RAISE, [[(5,)]], family="items", vjp=_extreme_vjp)


def sum_items(x: Any, start: Any) -> Any:
    """``start + x[0] + x[1] + ...``, from the left, as Python's ``sum`` adds; there is at least one item."""
    first = start + x[0]
    dtype = np.result_type(first, x.dtype)
    terms = np.empty((len(x), *np.shape(first)), dtype)
    terms[0] = first
    terms[1:] = x[1:]
    return np.add.accumulate(terms, dtype=dtype)[-1]


def _sum_rule(types: tuple[Type, ...]) -> Type:
    x, start = numeric(types, "sum()")
    if start.ndim and start.ndim >= x.ndim:
        raise UnsupportedError("sum() with a start value of as many dimensions is not supported")
    (found,) = trial(sum_items, types, {})
    return shaped(found, x.shape[1:])


op(
    "py.sum_items",
    sum_items,
    _sum_rule,
    MAY_RAISE,
    [[(5,), 0], [(5, 2), 0], [(5,), 1.5]],
    family="items",
    vjp=lambda g, y, x, start: (spread(g, x, 0), g),
)
