"""``x.view(dtype)``: the memory of an array as another dtype.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["view_as"].infer((parse_type("f64[3,4]"),), dtype=np.dtype("u1")))
u8[3,32]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import Effects, NoDerivative, family, refused
from runtime.ops.expressions import Expr, ops
from runtime.ops.promotion import numeric
from runtime.types import ArrayType, ScalarType, Type

op = family("memory")


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
