"""Derivatives of NumPy's functions of arrays that no operation stands for.

Most are written once more with operations, as NumPy's own source has them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.definition import as_written, none, refused
from runtime.ops.expressions import Expr, number_of, ops, reshaped, scattered
from runtime.ops.library_calls import special
from runtime.ops.library_rules.table import rules
from runtime.ops.products import einsum_vjp
from runtime.ops.written import linspace


def beside(*given: Any) -> list[Any]:
    """The operands as `Expr`: those that are constants, and lists of numbers, too. None stays."""
    first = next(x for x in _parts(given) if isinstance(x, Expr))
    return [x if x is None or isinstance(x, Expr) else joined(x, first) for x in given]


def _parts(item: Any) -> Any:
    if isinstance(item, list | tuple):
        for part in item:
            yield from _parts(part)
    else:
        yield item


def joined(item: Any, first: Expr) -> Expr:
    """An array of a list, of which a run knows a part."""
    if isinstance(item, Expr):
        return item
    if isinstance(item, list | tuple) and any(isinstance(part, Expr) for part in _parts(item)):
        found: Expr = ops.stack(*[joined(part, first) for part in item])
        return found
    return first.of(np.asarray(item) if isinstance(item, list | tuple) else item)


# -- reductions with more arguments ------------------------------------------------------------------------


def _folded(name: str, pair: str, neutral: float) -> Any:
    def folded(
        a: Expr, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Any:
        if where is not None:
            a = ops.where(where, a, neutral)
        found = getattr(ops, name)(a, axis=axis, keepdims=keepdims)
        return found if initial is None else getattr(ops, pair)(found, initial)

    return folded


_sum = _folded("sum", "add", 0)


def _mean(a: Expr, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
    if where is None:
        return ops.mean(a, axis=axis, keepdims=keepdims)
    counted = ops.broadcast_like(where if isinstance(where, Expr) else a.of(where), a)
    return _sum(a, axis, keepdims=keepdims, where=where) / ops.sum(counted, axis=axis, keepdims=keepdims)


def _average(a: Any, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Any:
    a, weights = beside(a, weights)
    if weights is None:
        return ops.mean(a, axis=axis, keepdims=keepdims)
    if weights.ndim != a.ndim:
        weights = weights[(slice(None), *(None,) * (a.ndim - 1 - axis % a.ndim))]
    total = ops.sum(a * weights, axis=axis, keepdims=keepdims)
    return total / ops.sum(weights + 0 * ops.real(a), axis=axis, keepdims=keepdims)


def _cumulative(name: str, neutral: float) -> Any:
    def cumulative(x: Expr, axis: Any = None, *, include_initial: bool = False) -> Any:
        axis = 0 if axis is None else axis
        found = getattr(ops, name)(x, axis=axis)
        first = 0 * x.along(axis, slice(0, 1)) + neutral
        return ops.concatenate(first, found, axis=axis) if include_initial else found

    return cumulative


rules(
    "numpy",
    sum=as_written(_sum),
    prod=as_written(_folded("prod", "multiply", 1)),
    mean=as_written(_mean),
    max=as_written(_folded("max", "maximum", -math.inf)),
    min=as_written(_folded("min", "minimum", math.inf)),
    average=as_written(_average),
    cumulative_sum=as_written(_cumulative("cumsum", 0.0)),
    cumulative_prod=as_written(_cumulative("cumprod", 1.0)),
)

# -- elementwise -------------------------------------------------------------------------------------------


def _sinc_vjp(g: Expr, y: Expr, x: Expr) -> tuple[Any, ...]:
    safe = ops.where(x == 0, 1, x)
    return (g * ops.where(x == 0, 0, (ops.cos(np.pi * x) - y) / safe),)


def _angle_vjp(g: Expr, y: Expr, z: Expr, deg: bool = False) -> tuple[Any, ...]:
    return (g * (180 / np.pi if deg else 1.0) * -1j / z,)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    x, xp, fp, left, right = beside(x, xp, fp, left, right)
    found = ops.interp(x, xp, fp)
    if left is not None:
        found = ops.where(x < xp[0], left, found)
    return found if right is None else ops.where(x > xp[-1], right, found)


rules(
    "numpy",
    sinc=_sinc_vjp,
    i0=lambda g, y, x: (g * special.i1(x),),
    angle=_angle_vjp,
    fix=none("rounding"),
    real_if_close=lambda g, y, a, tol=100: (g,),
    interp=as_written(_interp),
)

# -- shapes --------------------------------------------------------------------------------------------------


def _block(arrays: Any) -> Any:
    """Lists of the innermost level are joined along the last axis, those of the next along the one before."""
    depth, first = _depth(arrays), next(x for x in _parts(arrays) if isinstance(x, Expr))
    parts = [x if isinstance(x, Expr) else first.of(np.asarray(x)) for x in _parts(arrays)]
    ndim = max(depth, *[x.ndim for x in parts]) if len(parts) > 1 else max(depth, parts[0].ndim)
    return _joined_block(arrays, iter(parts), depth, ndim)


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _joined_block(arrays: Any, parts: Any, depth: int, ndim: int) -> Any:
    if not depth:
        x = next(parts)
        return x[(*(None,) * (ndim - x.ndim), ...)] if x.ndim < ndim else x
    items = [_joined_block(part, parts, depth - 1, ndim) for part in arrays]
    return ops.concatenate(*items, axis=-depth)


def _delete(arr: Expr, obj: Any, axis: Any = None) -> Any:
    arr, axis = (ops.ravel(arr), 0) if axis is None else (arr, axis)
    n = arr.length(axis)
    if not isinstance(n, int) or any(isinstance(part, Expr) for part in _parts(obj)):
        return refused("np.delete() at a place that only a run knows")
    return ops.take(arr, arr.of(np.delete(np.arange(n), obj)), axis=axis)


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """The items are where a made-up array of places has them."""
    arr, values = beside(arr, values)
    arr, axis = (ops.ravel(arr), 0) if axis is None else (arr, axis)
    n = arr.length(axis)
    if not isinstance(n, int) or any(isinstance(part, Expr) for part in _parts(obj)):
        return refused("np.insert() at a place that only a run knows")
    count = np.size(obj) if not isinstance(obj, slice) else len(range(*obj.indices(n)))
    if count == 1 and values.ndim == arr.ndim:
        count = values.length(axis)
    places = np.insert(np.arange(n), obj, n + np.arange(count))
    row = 0 * ops.take(arr, arr.of(np.zeros(count, int)), axis=axis)
    if count == 1 and values.ndim == arr.ndim - 1 and values.ndim:
        values = values[(*(slice(None),) * axis, None)]
    return ops.take(ops.concatenate(arr, row + values, axis=axis), arr.of(places), axis=axis)


def _resize(a: Expr, new_shape: Any) -> Any:
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    size = number_of(a)
    if not isinstance(size, int) or not all(isinstance(n, int) for n in shape):
        return refused("np.resize() to a shape that only a run knows")
    return reshaped(ops.ravel(a)[a.of(np.resize(np.arange(size), shape).ravel())], shape)


def _vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    n = x.length(0) if N is None else N
    if not isinstance(n, int):
        return refused("np.vander() of a size that only a run knows")
    powers = np.arange(n, dtype=float)
    return x[:, None] ** (powers if increasing else powers[::-1].copy())


def _trim_zeros_vjp(g: Expr, y: Expr, filt: Expr, trim: str = "fb") -> Any:
    """Which items are left does not change."""
    if filt.ndim != 1:
        return refused("np.trim_zeros() of more than one dimension")
    if "f" not in trim.lower():
        start: Any = 0
    else:
        start = ops.argmax(filt != 0)
    return (scattered(g, [filt.length(0)], (slice(start, g.length(0) + start),)),)


def _linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0
) -> Any:  # fmt: skip
    if retstep:
        return refused("np.linspace(retstep=True)")
    found = linspace(*beside(start, stop), num=num, endpoint=endpoint)
    return ops.moveaxis(found, source=0, destination=axis) if axis else found


def _sort_complex(a: Expr) -> Any:
    return ops.sort(a, axis=-1)


rules(
    "numpy",
    block=as_written(_block),
    diagflat=as_written(lambda v, k=0: ops.diag(ops.ravel(v), k=k)),
    delete=as_written(_delete),
    insert=as_written(_insert),
    resize=as_written(_resize),
    vander=as_written(_vander),
    trim_zeros=_trim_zeros_vjp,
    linspace=as_written(_linspace),
    sort_complex=as_written(_sort_complex),
)

# -- products, polynomials ---------------------------------------------------------------------------------


def _einsum_vjp(g: Expr, y: Expr, subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    """An ellipsis stands for axes that get letters of their own."""
    if not isinstance(subscripts, str):
        return refused("np.einsum() of lists of subscripts")
    operands = tuple(beside(*operands))
    unused = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in subscripts]
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms, longest = [], 0
    for term, x in zip(inputs.split(","), operands, strict=True):
        extra = x.ndim - len(term.replace("...", ""))
        longest = max(longest, extra if "..." in term else 0)
    letters = unused[:longest]
    for term, x in zip(inputs.split(","), operands, strict=True):
        extra = x.ndim - len(term.replace("...", ""))
        terms.append(term.replace("...", "".join(letters[longest - extra :])))
    if not arrow:
        joint = inputs.replace(",", "").replace(".", "")
        output = "..." + "".join(sorted(c for c in set(joint) if joint.count(c) == 1))
    output = output.replace("...", "".join(letters))
    found = einsum_vjp(g, y, *operands, subscripts=",".join(terms) + "->" + output)
    return (None, *found)


def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    a, v = beside(a, v)
    if isinstance(a.length(0), int) and isinstance(v.length(0), int) and a.length(0) < v.length(0):
        return ops.flip(ops.convolve(v, ops.flip(a.conj), mode=mode).conj)
    return ops.convolve(a, ops.flip(v.conj), mode=mode)


def _polyval(p: Any, x: Any) -> Any:
    p, x = beside(p, x)
    n = p.length(0)
    if not isinstance(n, int):
        return refused("np.polyval() of a degree that only a run knows")
    found = 0 * x
    for k in range(n):
        found = found * x + p[k]
    return found


def _polyder_vjp(g: Expr, y: Expr, p: Expr, m: int = 1) -> Any:
    n = p.length(0)
    if not isinstance(n, int) or m != 1:
        return refused("np.polyder() of a degree that only a run knows")
    return (ops.pad(g, pad_width=((0, n - g.length(0)),)) * np.arange(n - 1, -1, -1.0),) if n > 1 else (None,)


def _polyint_vjp(g: Expr, y: Expr, p: Expr, m: int = 1, k: Any = None) -> Any:
    n = p.length(0)
    if not isinstance(n, int) or m != 1 or k is not None:
        return refused("np.polyint() with these arguments")
    return (g[:-1] / np.arange(n, 0, -1.0),)


def _polyfit(x: Any, y: Any, deg: int, *, w: Any = None) -> Any:
    x, y, w = beside(x, y, w)
    powers = _vander(x, deg + 1)
    if w is not None:
        powers, y = powers * w[:, None], y * (w if y.ndim == 1 else w[:, None])
    return ops.linalg.lstsq(powers, y)[0]


def _polyadd(a1: Any, a2: Any) -> Any:
    a, b = beside(a1, a2)
    n, m = a.length(0), b.length(0)
    if not isinstance(n, int) or not isinstance(m, int):
        return refused("np.polyadd() of a degree that only a run knows")
    longest = max(n, m)
    return ops.pad(a, pad_width=((longest - n, 0),)) + ops.pad(b, pad_width=((longest - m, 0),))


rules(
    "numpy",
    einsum=_einsum_vjp,
    correlate=as_written(_correlate),
    polyval=as_written(_polyval),
    polyfit=as_written(_polyfit),
    polyder=_polyder_vjp,
    polyint=_polyint_vjp,
    polyadd=as_written(_polyadd),
    polymul=as_written(lambda a1, a2: ops.convolve(*beside(a1, a2))),
    vecdot=lambda g, y, a, b: ((g[..., None] * b).conj, g[..., None] * a.conj),
    matvec=lambda g, y, a, b: (g[..., :, None] * b[..., None, :], (a.mT @ g[..., :, None])[..., 0]),
    vecmat=lambda g, y, a, b: (
        ((b @ g[..., :, None])[..., 0]).conj,
        a.conj[..., :, None] * g[..., None, :],
    ),
)
