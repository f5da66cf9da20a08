"""Numbers along an axis: ``diff``, ``interp``, ``convolve``, ``histogram``; and rounding and closeness.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import parse_type
>>> print(REGISTRY["convolve"].infer((parse_type("f64[5]"), parse_type("f64[3]")), mode="same"))
f64[5]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import MAY_RAISE, PURE, Dynamic, none
from runtime.ops.expressions import Expr, ops, positions, scattered
from runtime.ops.promotion import broadcast_shapes, by_run, numeric, ruled, shaped, trial
from runtime.ops.sorting import selecting
from runtime.types import ArrayType, Type

# -- numbers along an axis -------------------------------------------------------------------------------


def _diff_vjp(g: Expr, y: Expr, x: Expr, n: int = 1, axis: int = -1) -> tuple[Any, ...]:
    """Backwards in time, with zeros at both ends: a quarter faster than what `WRITTEN` gives."""
    if y.shape[axis] == 0:
        return (None,)
    widths = [(n, n) if k == axis % x.ndim else (0, 0) for k in range(x.ndim)]
    found = ops.diff(ops.pad(g, pad_width=tuple(widths)), n=n, axis=axis)
    return (-found if n % 2 else found,)


_DIFFERENCES: list[Any] = [[(3, 4)], [(5,), {"n": 2}], [(3, 4), {"axis": 0}]]
selecting("diff", np.diff, by_run(np.diff), PURE, _DIFFERENCES, _diff_vjp)


def _interp_vjp(g: Expr, y: Expr, x: Expr, xp: Expr, fp: Expr) -> tuple[Any, ...]:
    """At a node it is the slope to its right, at the last one to its left; beyond the ends 0."""
    last = xp.length(0) - 1
    k = ops.clip(ops.searchsorted(xp, x, side="right") - 1, 0, ops.maximum(last - 1, 0)
                 if isinstance(last, Expr) else max(last - 1, 0))  # fmt: skip
    behind = ops.minimum(k + 1, last)
    width = ops.where(behind == k, 1, xp[behind] - xp[k])
    inside = (x >= xp[0]) & (x <= xp[-1])
    slope = ops.where(inside, (fp[behind] - fp[k]) / width, 0)
    part = ops.clip((x - xp[k]) / width, 0, 1)
    parts = ((1 - part, k), (part, behind))
    back = lambda c, like: sum(ops.scatter(c * w, like, i, index=(Dynamic(0),)) for w, i in parts)
    return g * slope, back(-g * slope, xp), back(g, fp)


selecting(
    "interp",
    np.interp,
    ruled(np.interp, lambda x, *_: x, "interp"),
    MAY_RAISE,
    [[(3, 2), np.arange(4) / 3, (4,)], [0.5, np.arange(4) / 3, (4,)], [(3,), np.array([0.3, 0.6]), (2,)]],
    _interp_vjp,
)


def _histogram(x: Any, *others: Any, bins: int | None = 10, range: Any = None, weighted: bool = False) -> Any:
    """Inputs: items; their weights, where ``weighted``; the number of bins, where ``bins`` is None."""
    weights = others[0] if weighted else None
    return tuple(np.histogram(x, others[-1] if bins is None else bins, range, weights=weights))


def histogram_rule(
    types: tuple[Type, ...], bins: int | None = 10, range: Any = None, weighted: bool = False
) -> tuple[Type, ...]:
    t, *others = numeric(types, "np.histogram()")
    edges = np.result_type(t.dtype, 1.0 if t.dtype.kind in "fc" else np.float64)
    counts = others[0].dtype if weighted else np.dtype(np.intp)
    return ArrayType(counts, (bins,)), ArrayType(edges, (None if bins is None else bins + 1,))


def _histogram_vjp(
    g: Any, y: Any, x: Expr, *others: Expr, range: Any = None, weighted: bool = False, **_: Any
) -> tuple[Any, ...]:
    """The edges lie between the least and the greatest item; the weights are counted where the items fall."""
    edges, of_weights, of_items = y[1], [], None
    last = edges.length(0) - 1
    if weighted:
        place = ops.searchsorted(edges, x, side="right") - 1
        place = ops.where(x == edges[-1], last - 1, place)
        inside = (place >= 0) & (place < last)
        of_weights.append(ops.where(inside, g[0][ops.clip(place, 0, last - 1)], 0))
    if range is None and 0 not in x.shape:
        part = positions(edges) / last
        lowest, highest = x == ops.min(x), x == ops.max(x)
        shares = [lowest / ops.sum(lowest), highest / ops.sum(highest)]
        of_items = ops.sum(g[1] * (1 - part)) * shares[0] + ops.sum(g[1] * part) * shares[1]
    return of_items, *of_weights


_COUNTED: list[Any] = [
    [(5,), {"bins": 3}],
    [(5,), {"bins": 3, "range": (0.2, 0.8)}],
    [(5,), (5,), 4, {"bins": None, "weighted": True}],
]
selecting(
    "histogram", _histogram, histogram_rule, MAY_RAISE, _COUNTED, _histogram_vjp, lowered=("histogram",)
)


def convolve_rule(types: tuple[Type, ...], mode: str = "full") -> Type:
    x, y = numeric(types, "np.convolve()")
    (found,) = trial(np.convolve, types, {"mode": mode})
    n, m = [t.shape[0] if t.ndim else 1 for t in (x, y)]
    if n is None or m is None:
        return shaped(found, (None,))
    length = {"full": n + m - 1, "same": max(n, m), "valid": max(n, m) - min(n, m) + 1}.get(mode)
    return shaped(found, (length,))


def _convolve_vjp(g: Expr, y: Expr, a: Expr, v: Expr, mode: str = "full") -> tuple[Any, ...]:
    """Each is the correlation of the other with the cotangent of the full convolution."""
    a_flat, v_flat = ops.ravel(a), ops.ravel(v)
    full = _of_full(g, a_flat, v_flat, mode)
    found = [ops.convolve(full, ops.flip(other), mode="valid") for other in (v_flat, a_flat)]
    return ops.reshape_like(found[0], a), ops.reshape_like(found[1], v)


def _of_full(g: Expr, a: Expr, v: Expr, mode: str) -> Expr:
    """The cotangent of the full convolution, of which ``mode`` took the middle."""
    n, m = a.length(0), v.length(0)
    if mode == "full":
        return g
    shorter = min(n, m) if isinstance(n, int) and isinstance(m, int) else ops.minimum(n, m)
    start = shorter - 1 if mode == "valid" else (shorter - 1) // 2
    middle = (slice(start, g.length(0) + start),)
    return scattered(g, [n + m - 1], middle)


selecting(
    "convolve",
    np.convolve,
    convolve_rule,
    MAY_RAISE,
    [[(5,), (3,)], [(5,), (3,), {"mode": "same"}], [(5,), (3,), {"mode": "valid"}]],
    _convolve_vjp,
)


_nan_to_num_vjp = lambda g, y, x, **_: (ops.where(ops.isfinite(x), g, 0),)
selecting("nan_to_num", np.nan_to_num, by_run(np.nan_to_num), PURE, [[(3, 4)], [()]], _nan_to_num_vjp)


_ROUNDED: list[Any] = [[(3, 4)], [()], [2.5], [(3,), {"decimals": 1}]]
selecting("round", np.round, by_run(np.round), PURE, _ROUNDED, none("rounding"))


_isclose_rule = ruled(np.isclose, lambda *shapes, **_: broadcast_shapes(*shapes), "isclose")
_CLOSE: list[Any] = [[(3,), (3,), 1e-5, 1e-8], [(), 2, 1e-5, 1e-8]]
selecting("isclose", np.isclose, _isclose_rule, MAY_RAISE, _CLOSE, none("comparison"))
