"""Derivatives of reductions and scans.

Of equal items each has the same share of a maximum; a standard deviation of 0 has the derivative 0, as a norm
has; a quantile is a mean of two items, and among equal ones those count that a stable sort puts there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import op
from runtime.ops.expressions import Expr, kept_axes, number_of, ops, reshaped, spread, zeros_like
from runtime.ops.promotion import normalize_axes, numeric
from runtime.ops.written import nanmean
from runtime.types import ArrayType, Type


def sum_vjp(g: Expr, y: Expr, x: Expr, axis: Any = None, keepdims: bool = False, **_: Any) -> tuple[Any, ...]:
    return (spread(g, x, axis, keepdims),)


def extreme_vjp(
    g: Expr, y: Expr, x: Expr, axis: Any = None, keepdims: bool = False, **_: Any
) -> tuple[Any, ...]:
    """Where the result is NaN no item equals it: 0 / 0."""
    equal = x == kept_axes(y, x, axis, keepdims)
    shares = ops.sum(equal, axis=axis, keepdims=axis is not None) if x.ndim else 1
    given = ops.where(equal, kept_axes(g, x, axis, keepdims), 0.0)  # no product: inf * 0 would be NaN
    return (given / shares,)


def var_vjp(
    g: Expr, y: Expr, x: Expr, axis: Any = None, keepdims: bool = False, ddof: Any = 0, **_: Any
) -> tuple[Any, ...]:
    difference = x - ops.mean(x, axis=axis, keepdims=True)
    scale = kept_axes(g, x, axis, keepdims) * 2 / (number_of(x, axis) - ddof)
    return (scale * difference.conj,)


def of_square(g: Expr, y: Expr) -> Expr:
    """The cotangent of ``y * y``; 0 where y is 0."""
    found: Expr = ops.where(y == 0, 0, g / ops.where(y == 0, 1, 2 * y))
    return found


def std_vjp(g: Expr, y: Expr, x: Expr, **attributes: Any) -> tuple[Any, ...]:
    return var_vjp(of_square(g, y), y, x, **attributes)


# -- products: of all others, which a division does not find where one is 0 ------------------------------


def prod_vjp(
    g: Expr, y: Expr, x: Expr, axis: Any = None, keepdims: bool = False, **_: Any
) -> tuple[Any, ...]:
    if not x.ndim:
        return (g,)
    rows = rows_of(x, axis)
    before = ops.cumprod(shifted(rows, 1), axis=-1)
    behind = backwards(ops.cumprod(shifted(backwards(rows), 1), axis=-1))
    return (kept_axes(g, x, axis, keepdims) * as_before(before * behind, x, axis),)


def cumsum_vjp(g: Expr, y: Expr, x: Expr, axis: int | None = None, **_: Any) -> tuple[Any, ...]:
    if axis is None or not x.ndim:
        return (ops.reshape_like(backwards(ops.cumsum(backwards(g), axis=0)), x),)
    return (ops.flip(ops.cumsum(ops.flip(g, axis=axis), axis=axis), axis=axis),)


def cumprod_vjp(g: Expr, y: Expr, x: Expr, axis: int | None = None, **_: Any) -> tuple[Any, ...]:
    """dy[j]/dx[k] is the product of those up to j without x[k]: all before k, and a recurrence behind it."""
    rows = rows_of(x, axis) if x.ndim else ops.ravel(x)
    g = rows_of(g, axis)
    before = ops.cumprod(shifted(rows, 1), axis=-1)
    factors = shifted(backwards(rows), 0)
    behind = backwards(ops.recurrence(backwards(g), factors))
    return (as_before(before * behind, x, axis),)


def nanvar_vjp(
    g: Expr, y: Expr, x: Expr, axis: Any = None, keepdims: bool = False, ddof: Any = 0, **_: Any
) -> tuple[Any, ...]:
    given = ~ops.isnan(x)
    n = ops.sum(given, axis=axis, keepdims=True) if x.ndim else ops.sum(given)
    difference = ops.where(given, x - nanmean(x, axis, keepdims=True) if x.ndim else x - x, 0)
    return (kept_axes(g, x, axis, keepdims) * 2 / (n - ddof) * difference.conj,)


def nanstd_vjp(g: Expr, y: Expr, x: Expr, **attributes: Any) -> tuple[Any, ...]:
    return nanvar_vjp(of_square(g, y), y, x, **attributes)


# -- order statistics ------------------------------------------------------------------------------------


def quantile(
    x: Expr, q: Any, skips_nan: bool = False, axis: Any = None, keepdims: bool = False, **_: Any
) -> Any:
    """``np.quantile`` as it interpolates: between the items at both sides of place q * (n - 1)."""
    rows = ops.sort(rows_of(x, axis) if x.ndim else ops.ravel(x), axis=-1)
    if 0 in rows.shape:
        return None
    n = ops.sum(~ops.isnan(rows), axis=-1, keepdims=True) if skips_nan else rows.length(-1)
    q_shape: tuple[Any, ...] = q.shape if isinstance(q, Expr) else ()
    place = (ops.ravel(q) if q_shape else q) * (n - 1) + zeros_like(ops.real(rows[..., :1]))
    low = ops.floor(place)
    weight = place - low
    first = ops.maximum(ops.astype(low, dtype=np.dtype(np.intp)), 0)
    second = ops.minimum(first + 1, ops.maximum(n - 1, 0) if isinstance(n, Expr) else max(n - 1, 0))
    items = [ops.take_along_axis(rows, k, axis=-1) for k in (first, second)]
    found = items[0] * (1 - weight) + items[1] * weight
    found = ops.moveaxis(found, source=-1, destination=0)
    if not q_shape:
        found = found[0]
    else:
        found = reshaped(found, [*[q.length(k) for k in range(len(q_shape))], *lengths(found)[1:]])
    if keepdims and x.ndim:
        kept = [None if k in normalize_axes(axis, x.ndim) else slice(None) for k in range(x.ndim)]
        found = found[(*(slice(None),) * len(q_shape), *kept)]
    return found


def lengths(x: Expr) -> list[Any]:
    return [x.length(k) for k in range(x.ndim)]


# -- several axes as one ---------------------------------------------------------------------------------


def _order(x: Expr, axis: Any) -> tuple[list[int], list[int]]:
    axes = normalize_axes(axis, x.ndim)
    return [k for k in range(x.ndim) if k not in axes], list(axes)


def rows_of(x: Expr, axis: Any) -> Expr:
    """``x`` with the axes of a reduction as its last one."""
    kept, axes = _order(x, axis)
    moved: Expr = ops.transpose(x, axes=(*kept, *axes)) if kept + axes != list(range(x.ndim)) else x
    if len(axes) == 1:
        return moved
    return reshaped(moved, [*[x.length(k) for k in kept], number_of(x, axis)])


def as_before(rows: Expr, x: Expr, axis: Any) -> Expr:
    """The other way round, to the axes of ``x``."""
    if not x.ndim:
        found: Expr = ops.reshape_like(rows, x)
        return found
    kept, axes = _order(x, axis)
    order = kept + axes
    moved = rows if len(axes) == 1 else reshaped(rows, [x.length(k) for k in order])
    back = tuple([int(k) for k in np.argsort(order)])
    return moved if back == tuple(range(x.ndim)) else ops.transpose(moved, axes=back)


# -- a linear recurrence along the last axis, s[k] = b[k] + a[k] * s[k - 1] -------------------------------


def recurrence(b: Any, a: Any) -> Any:
    s = np.array(b, dtype=np.result_type(b, a))
    for k in range(1, s.shape[-1]):
        s[..., k] += a[..., k] * s[..., k - 1]
    return s


def _recurrence_rule(types: tuple[Type, ...]) -> Type:
    b, a = numeric(types, "a recurrence")
    return ArrayType(np.result_type(b.dtype, a.dtype), b.shape)


def shifted(x: Expr, first: float) -> Expr:
    """Along the last axis each item moves one place on; ``first`` comes in."""
    lead = zeros_like(x[..., :1]) + x.dtype.type(first)
    found: Expr = ops.concatenate(lead, x[..., :-1], axis=-1)
    return found


def backwards(x: Expr) -> Expr:
    """From the last item to the first along the last axis."""
    found: Expr = ops.flip(x, axis=-1)
    return found


def _recurrence_vjp(g: Expr, s: Expr, b: Expr, a: Expr) -> tuple[Any, ...]:
    """The same recurrence from the end."""
    found = backwards(ops.recurrence(backwards(g), shifted(backwards(a), 0)))
    return found, found * shifted(s, 0)


op(
    "recurrence",
    recurrence,
    _recurrence_rule,
    samples=[[(4,), (4,)], [(2, 3), (2, 3)]],
    family="scan",
    vjp=_recurrence_vjp,
)
