"""``where``: of each item of two arrays one.

>>> where(np.array([True, False]), np.array([1.0, 2.0]), 0)
array([1., 0.])
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runtime.ops.definition import op
from runtime.ops.expressions import Expr, ops
from runtime.ops.formulas import native
from runtime.ops.formulas import where as chosen
from runtime.ops.promotion import broadcast_shapes, elementwise_effects, numeric
from runtime.types import ArrayType, NumberType, ScalarType, Type, join_dtypes

#: of fewer items np.where takes less time than the three or four operations on bits
_MANY = 4096


def where(condition: Any, x: Any, y: Any) -> Any:
    """np.where, which goes from item to item with a jump that a processor cannot foresee. Of many items
    it takes a tenth of the time to mask all their bits."""
    if not isinstance(condition, np.ndarray) or condition.dtype != bool or condition.size < _MANY:
        return np.where(condition, x, y)
    dtype = np.result_type(x, y)
    if dtype.kind not in "biuf" or dtype.itemsize > 8 or not dtype.isnative:
        return np.where(condition, x, y)
    try:
        return _masked(condition, np.asarray(x, dtype), np.asarray(y, dtype), np.dtype(f"i{dtype.itemsize}"))
    except (ValueError, OverflowError):
        return np.where(condition, x, y)  # it says which shapes do not go together


def _masked(condition: Any, x: Any, y: Any, bits: Any) -> Any:
    """``bits``: the integers as long as an item. Times a bool they are themselves, or 0."""
    dtype, x, y = x.dtype, x.view(bits), y.view(bits)
    if not y.ndim and y == 0:
        return (x * condition).view(dtype)
    if not x.ndim and x == 0:
        return (y * ~condition).view(dtype)
    found = (x ^ y) * condition
    return np.bitwise_xor(found, y, out=found if y.shape in ((), found.shape) else None).view(dtype)


def where_rule(types: tuple[Type, ...]) -> ArrayType:
    condition, x, y = numeric(types, "np.where()")
    dtype = join_dtypes(x, y)
    if isinstance(x, NumberType) and isinstance(y, NumberType):
        dtype = np.where(True, _one(x), _one(y)).dtype
    return ArrayType(dtype, broadcast_shapes(condition.shape, x.shape, y.shape))


def _one(t: NumberType) -> Any:
    return {"bool": True, "int": 1, "float": 1.0, "complex": 1j}[t.kind]


def _where_vjp(g: Expr, y: Expr, condition: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    return None, ops.where(condition, g, 0), ops.where(condition, 0, g)


_op = partial(
    op,
    formula=native("biufc", chosen),
    effects=elementwise_effects,
    samples=[[(3, 4), (4,), (3, 1)], [(3,), 1.5, (3,)], [(), 1, 2], [(3,), 2, 0.5]],
    family="elementwise",
    loops=lambda types: (np.dtype("bool"), *[where_rule(types).dtype] * 2),
    vjp=_where_vjp,
)
_op("where", where, where_rule)


def _where_ufunc_rule(types: tuple[Type, ...]) -> Type:
    found = where_rule(types)
    assert isinstance(found, ArrayType)
    return found if found.shape else ScalarType(found.dtype)


_op(
    "where_ufunc",  # as `where`, but of numbers it gives a number, as ufuncs do: for rules of derivatives
    lambda condition, x, y: np.asarray(where(condition, x, y))[()],
    _where_ufunc_rule,
)
