"""Comparison and logic, elementwise: ``less``, ``equal``, ``logical_and``, ``isnan``, ``where``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import none, op
from runtime.ops.elementwise import kinds, ufunc
from runtime.ops.expressions import Expr, ops
from runtime.ops.promotion import broadcast_shapes, elementwise_effects, numeric
from runtime.types import ArrayType, NumberType, ScalarType, Type, join_dtypes

BOOL_DTYPE = np.dtype("bool")
_COMPARISON = none("comparison")


def _compare(method: str) -> Callable[..., Any]:
    def native(b: Any, x: Any, y: Any) -> Any:
        if b.dtype(x) != b.dtype(y):  # int64 with uint64, which NumPy compares exactly
            return NotImplemented
        return getattr(b, method)(x, y)

    return kinds("biuf", native)


for _name, _method in [
    ("less", "lt"),
    ("less_equal", "le"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
]:
    ufunc(_name, _compare(_method), vjp=_COMPARISON)
ufunc("equal", _compare("eq"), traits=["commutative"], vjp=_COMPARISON)
ufunc("not_equal", _compare("ne"), traits=["commutative"], vjp=_COMPARISON)


def _logical(method: str) -> Callable[..., Any]:
    def native(b: Any, *xs: Any) -> Any:
        return getattr(b, method)(*[b.convert(x, BOOL_DTYPE) for x in xs])

    return kinds("biuf", native)


ufunc("logical_and", _logical("and_"), traits=["commutative"], vjp=_COMPARISON)
ufunc("logical_or", _logical("or_"), traits=["commutative"], vjp=_COMPARISON)
ufunc("logical_xor", _logical("xor"), traits=["commutative"], vjp=_COMPARISON)
ufunc("logical_not", _logical("not_"), vjp=_COMPARISON)


def _is_finite(b: Any, x: Any) -> Any:
    difference = b.sub(x, x)
    return b.eq(difference, difference)


ufunc("isnan", kinds("f", lambda b, x: b.ne(x, x)), vjp=_COMPARISON)
ufunc("isfinite", kinds("f", _is_finite), vjp=_COMPARISON)
ufunc("isinf", kinds("f", lambda b, x: b.eq(b.abs(x), b.constant(float("inf"), b.dtype(x)))), vjp=_COMPARISON)
ufunc("signbit", vjp=_COMPARISON)


def where_rule(types: tuple[Type, ...]) -> Type:
    condition, x, y = numeric(types, "np.where()")
    dtype = join_dtypes(x, y)
    if isinstance(x, NumberType) and isinstance(y, NumberType):
        dtype = np.where(True, _one(x), _one(y)).dtype
    return ArrayType(dtype, broadcast_shapes(condition.shape, x.shape, y.shape))


def _one(t: NumberType) -> Any:
    return {"bool": True, "int": 1, "float": 1.0, "complex": 1j}[t.kind]


def _native_where(b: Any, condition: Any, x: Any, y: Any) -> Any:
    dtype = b.result_dtype()
    return b.select(b.convert(condition, BOOL_DTYPE), b.convert(x, dtype), b.convert(y, dtype))


def _where_vjp(g: Expr, y: Expr, condition: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    return None, ops.where(condition, g, 0), ops.where(condition, 0, g)


op(
    "where",
    kernel=np.where,
    infer=where_rule,
    native=kinds("biuf", _native_where),
    effects=elementwise_effects,
    samples=[[(3, 4), (4,), (3, 1)], [(3,), 1.5, (3,)], [(), 1, 2], [(3,), 2, 0.5]],
    family="elementwise",
    vjp=_where_vjp,
)


def _where_ufunc_rule(types: tuple[Type, ...]) -> Type:
    found = where_rule(types)
    assert isinstance(found, ArrayType)
    return found if found.shape else ScalarType(found.dtype)


op(
    "where_ufunc",  # as `where`, but of numbers it gives a number, as ufuncs do: for rules of derivatives
    kernel=lambda condition, x, y: np.asarray(np.where(condition, x, y))[()],
    infer=_where_ufunc_rule,
    native=kinds("biuf", _native_where),
    effects=elementwise_effects,
    samples=[[(3, 4), (4,), (3, 1)], [(3,), 1.5, (3,)], [(), 1, 2], [(3,), 2, 0.5]],
    family="elementwise",
    vjp=_where_vjp,
)
