"""``x.flat`` and ``x.view(dtype)``: the items of an array in C order, and its memory as another dtype.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["flat_getitem"].infer((parse_type("f64[3,4]"),), index=(slice(2, 5),)))
f64[3]
>>> print(REGISTRY["view_as"].infer((parse_type("f64[3,4]"),), dtype=np.dtype("u1")))
u8[3,32]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import BY_SWEEP, Effects, NoDerivative, family, refused
from runtime.ops.expressions import Expr, ops
from runtime.ops.indexing import Index, fill_index, getitem_rule
from runtime.ops.promotion import known_size, numeric
from runtime.types import ArrayType, ScalarType, Type

op = family("memory")


def _flat_getitem(x: Any, *dynamic: Any, index: Index) -> Any:
    return x.flat[fill_index(index, dynamic)]


def _flat_getitem_rule(types: tuple[Type, ...], index: Index) -> Type:
    x, *dynamic = types
    (t,) = numeric((x,), "flat")
    try:
        found = getitem_rule((ArrayType(t.dtype, (known_size(t.shape),)), *dynamic), index)
    except IndexError:
        return ScalarType(t.dtype)  # out of bounds: the run raises, in the words that flat has for it
    assert isinstance(found, ArrayType | ScalarType)
    return found


op(
    "flat_getitem",
    _flat_getitem,
    _flat_getitem_rule,
    Effects(may_raise=True),
    [[(3, 4), {"index": (5,)}], [(3, 4), {"index": (slice(None, None, 3),)}]],
    lambda g, y, x, *dynamic, index: (
        ops.reshape_like(ops.scatter(g, ops.ravel(x), *dynamic, index=index), x),
    ),
)


def _flat_setitem(x: Any, value: Any, *dynamic: Any, index: Index) -> None:
    if index:
        x.flat[fill_index(index, dynamic)] = value
    else:
        x.flat = value


op(
    "flat_setitem",
    _flat_setitem,
    lambda types, index: (),
    Effects(writes=(0,), may_raise=True),
    [[(3, 4), 1, {"index": (slice(None, None, 2),)}]],
    BY_SWEEP,
)


def _view_rule(types: tuple[Type, ...], dtype: np.dtype[Any]) -> Type:
    (t,) = numeric(types, "view()")
    size = t.dtype.itemsize
    if size == dtype.itemsize:
        return ArrayType(dtype, t.shape) if isinstance(t, ArrayType) else ScalarType(dtype)
    if not t.shape:
        np.zeros((), t.dtype).view(dtype)  # raises ValueError
    if t.shape[-1] is None or t.shape[-1] * size % dtype.itemsize:  # then the run raises
        return ArrayType(dtype, (*t.shape[:-1], None))
    return ArrayType(dtype, (*t.shape[:-1], t.shape[-1] * size // dtype.itemsize))


def _view_effects(types: tuple[Type, ...], dtype: np.dtype[Any]) -> Effects:
    (t,) = types
    if not isinstance(t, ArrayType):
        return Effects()
    return Effects(view_of=0, reads=False, may_raise=t.dtype.itemsize != dtype.itemsize)


def _view_vjp(g: Expr, y: Expr, x: Expr, dtype: np.dtype[Any]) -> tuple[Any, ...] | NoDerivative:
    """Complex numbers as pairs of floats, or the other way round: g is dL/da - i dL/db."""
    if dtype == x.dtype:
        return (g,)
    if np.result_type(dtype, x.dtype) not in (dtype, x.dtype) or dtype.kind == x.dtype.kind:
        return refused("a view of the memory as another dtype")
    whole = ops.copy(g, order="C")
    if x.is_complex:
        return (ops.conjugate(ops.view_as(whole, dtype=x.dtype)),)
    return (ops.view_as(ops.conjugate(whole), dtype=x.dtype),)


op(
    "view_as",
    lambda x, dtype: x.view(dtype),
    _view_rule,
    _view_effects,
    [[(3, 4), {"dtype": np.dtype("int64")}], [(3, 4), {"dtype": np.dtype("uint8")}]],
    _view_vjp,
)
