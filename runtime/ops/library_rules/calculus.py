"""Derivatives of integrals and differences of data: ``trapezoid``, ``gradient``, ``diff``."""

from __future__ import annotations

from typing import Any

from runtime.ops.definition import as_written, refused
from runtime.ops.expressions import Expr, ops
from runtime.ops.library_rules.arrays import beside
from runtime.ops.library_rules.table import rules


def _spacing(y: Expr, x: Any, dx: Any, axis: int) -> Any:
    """How far apart the points are: a number, or an array that broadcasts with the differences of ``y``."""
    if x is None:
        return dx
    widths = ops.diff(x, axis=axis if x.ndim > 1 else -1)
    return widths[(slice(None), *(None,) * (y.ndim - 1 - axis % y.ndim))] if x.ndim == 1 else widths


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y, x = beside(y, x)
    means = 0.5 * (y.along(axis, slice(1, None)) + y.along(axis, slice(None, -1)))
    return ops.sum(means * _spacing(y, x, dx, axis), axis=axis)


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    y, x = beside(y, x)
    means = 0.5 * (y.along(axis, slice(1, None)) + y.along(axis, slice(None, -1)))
    found = ops.cumsum(means * _spacing(y, x, dx, axis), axis=axis)
    return found if initial is None else ops.concatenate(0 * y.along(axis, slice(0, 1)), found, axis=axis)


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f, *steps = beside(f, *varargs)
    axes = range(f.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    if not steps:
        steps = [1.0]
    if len(steps) == 1:
        steps = list(steps) * len(axes)
    found = tuple([_slopes(f, h, k % f.ndim, edge_order) for k, h in zip(axes, steps, strict=True)])
    return found[0] if len(found) == 1 else found


def _slopes(f: Expr, h: Any, axis: int, edge_order: int) -> Expr:
    """Second differences inside, one-sided ones at the ends, as ``np.gradient`` has them."""
    if isinstance(h, Expr) and h.ndim == 1:
        widths: Any = ops.diff(h)[(slice(None), *(None,) * (f.ndim - 1 - axis))]
    else:
        widths = 0 * f.along(axis, slice(1, None)) + h
    slopes = ops.diff(f, axis=axis) / widths
    item = lambda x, start, stop: x.along(axis, slice(start, stop))
    ahead, behind = item(widths, 1, None), item(widths, None, -1)
    middle = (ahead * item(slopes, None, -1) + behind * item(slopes, 1, None)) / (ahead + behind)
    first, last = item(slopes, 0, 1), item(slopes, -1, None)
    if edge_order == 2:
        w, s = widths, slopes
        turn = (item(s, 1, 2) - item(s, 0, 1)) / (item(w, 0, 1) + item(w, 1, 2))
        first = first - turn * item(w, 0, 1)
        turn = (item(s, -1, None) - item(s, -2, -1)) / (item(w, -1, None) + item(w, -2, -1))
        last = last + turn * item(w, -1, None)
    found: Expr = ops.concatenate(first, middle, last, axis=axis)
    return found


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = []
    a, prepend, append = beside(a, prepend, append)
    for part in (prepend, a, append):
        if part is not None and not part.ndim:
            part = part + 0 * a.along(axis, slice(0, 1))
        if part is not None:
            parts.append(part)
    return ops.diff(ops.concatenate(*parts, axis=axis), n=n, axis=axis)


def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    ary, to_end, to_begin = beside(ary, to_end, to_begin)
    parts = [to_begin, ops.diff(ops.ravel(ary)), to_end]
    return ops.concatenate(*[ops.ravel(part) for part in parts if part is not None])


def _unwrap_vjp(g: Expr, y: Expr, p: Expr, discont: Any = None, axis: int = -1, *, period: Any = None) -> Any:
    """Multiples of the period are constants."""
    return (g,)


rules(
    "numpy",
    trapezoid=as_written(trapezoid),
    trapz=as_written(trapezoid),
    gradient=as_written(_gradient),
    diff=as_written(_diff),
    ediff1d=as_written(_ediff1d),
    unwrap=_unwrap_vjp,
)


def _simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    """A parabola through each three points; one more interval at the end as Cartwright (2017) has it."""
    y, x = beside(y, x)
    n = y.shape[axis]
    if n is None or n < 3:
        return refused("scipy.integrate.simpson of so few points, or of a number that only a run knows")
    widths = 0 * y.along(axis, slice(1, None)) + _spacing(y, x, dx, axis)
    y, widths = (ops.moveaxis(part, source=axis, destination=-1) for part in (y, widths))
    m = n - 1 + n % 2  # an odd number of points
    before, behind = widths[..., 0 : m - 1 : 2], widths[..., 1 : m - 1 : 2]
    first, middle, last = y[..., 0 : m - 2 : 2], y[..., 1 : m - 1 : 2], y[..., 2:m:2]
    both = before + behind
    means = (2 - behind / before) * first + both * both / (before * behind) * middle
    found = ops.sum(both / 6 * (means + (2 - before / behind) * last), axis=-1)
    if n % 2:
        return found
    h0, h1 = widths[..., -2], widths[..., -1]
    at_end = (2 * h1 * h1 + 3 * h0 * h1) / (6 * (h0 + h1)) * y[..., -1]
    return (
        found
        + at_end
        + (h1 * h1 + 3 * h0 * h1) / (6 * h0) * y[..., -2]
        - h1 * h1 * h1 / (6 * h0 * (h0 + h1)) * y[..., -3]
    )


rules(
    "scipy.integrate",
    trapezoid=as_written(trapezoid),
    simpson=as_written(_simpson),
    cumulative_trapezoid=as_written(cumulative_trapezoid),
)
