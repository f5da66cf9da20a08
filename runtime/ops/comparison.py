"""Comparison and logic, elementwise: ``less``, ``equal``, ``logical_and``, ``isnan``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import none
from runtime.ops.elementwise import kinds, ufunc

BOOL_DTYPE = np.dtype("bool")
_COMPARISON = none("comparison")


def _compare(method: str) -> Callable[..., Any]:
    def native(b: Any, x: Any, y: Any) -> Any:
        if b.dtype(x) != b.dtype(y):  # int64 with uint64, which NumPy compares exactly
            return NotImplemented
        return getattr(b, method)(x, y)

    return kinds("biufc" if method in ("eq", "ne") else "biuf", native)


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
