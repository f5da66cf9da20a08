"""Operations of whole arrays, written with others: what a target that lacks them computes instead.

A function here has the operands and attributes of the operation. ONNX and derivatives (``as_written``) read
it; the engines call NumPy's own function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import NoDerivative, refused
from runtime.ops.expressions import Expr, eye, number_of, ops, positions, reshaped, zeros_like
from runtime.ops.promotion import normalize_axis
from runtime.ops.template import Hole, Template

#: operation -> what it is
WRITTEN: dict[str, Callable[..., Any]] = {}


def written(function: Callable[..., Any]) -> Callable[..., Any]:
    WRITTEN[function.__name__.rstrip("_")] = function
    return function


def _over(x: Expr, axis: Any, keepdims: bool) -> Any:
    return ops.sum(x, axis=axis, keepdims=keepdims)


@written
def mean(x: Expr, axis: Any = None, keepdims: bool = False) -> Any:
    x = x if x.dtype.kind in "fc" else _double(x)  # sums of whole numbers may overflow
    return _over(x, axis, keepdims) / number_of(x, axis)


def _squares(x: Expr) -> Any:
    return ops.real(x * x.conj) if x.is_complex else x * x


@written
def var(x: Expr, axis: Any = None, keepdims: bool = False, ddof: float = 0) -> Any:
    apart = x - mean(x, axis, axis is not None and bool(x.ndim))
    count = number_of(x, axis) - ddof
    count = ops.maximum(count, 0) if isinstance(count, Expr) else max(count, 0)
    return _over(_squares(apart), axis, keepdims) / count


@written
def any_(x: Expr, axis: Any = None, keepdims: bool = False) -> Any:
    return _over(x != 0, axis, keepdims) > 0


@written
def all_(x: Expr, axis: Any = None, keepdims: bool = False) -> Any:
    return ops.equal(_over(x == 0, axis, keepdims), 0)


@written
def diff(x: Expr, n: int = 1, axis: int = -1) -> Any:
    for _ in range(n):
        x = x.along(axis, slice(1, None)) - x.along(axis, slice(0, -1))
    return x


@written
def roll(x: Expr, shift: Expr, axis: int | None = None) -> Any:
    if shift.ndim or isinstance(axis, tuple):
        return refused("np.roll by several shifts")
    if axis is None and x.ndim != 1:
        return ops.reshape_like(roll(ops.ravel(x), shift, 0), x)
    axis = axis or 0
    n = x.length(axis)
    places = positions(x, axis) - shift
    return x.along(axis, ops.remainder(places, ops.maximum(n, 1) if isinstance(n, Expr) else max(n, 1)))


@written
def copy(x: Expr, order: str = "C") -> Any:
    if (x.ndim != 1 and order != "C") or not x.ndim:
        return refused("a copy in the order of the memory")
    return x | x if x.dtype.kind == "b" else ops.positive(x)


@written
def searchsorted(items: Expr, values: Expr, side: str = "left") -> Any:
    """NaN is the largest number."""
    wide = values[..., None] if values.ndim else values
    before = wide > items if side == "left" else wide >= items
    if values.dtype.kind == "f":
        of_nan = ops.isnan(wide) if side == "right" else ops.isnan(wide) & ~ops.isnan(items)
        before = ops.logical_or(before, of_nan)
    return ops.sum(before, axis=-1)


@written
def astype(x: Expr, dtype: np.dtype[Any]) -> Any:
    """To a wider dtype; what else becomes of a number that does not fit is C's business."""
    if x.ndim != 1 or not np.can_cast(x.dtype, dtype) or dtype.kind not in "iuf" or x.dtype == dtype:
        return refused("a cast that may lose something")
    return x * x.of(dtype.type(1))


@written
def nan_to_num(x: Expr, nan: float = 0.0, posinf: Any = None, neginf: Any = None, **more: Any) -> Any:
    if x.dtype.kind != "f":
        return refused(f"np.nan_to_num of {x.dtype}")
    largest = x.dtype.type(np.finfo(x.dtype).max)
    high, low = (largest if posinf is None else posinf), (-largest if neginf is None else neginf)
    finite = ops.where(x == math.inf, high, ops.where(x == -math.inf, low, x))
    return ops.where(ops.isnan(x), nan, finite)


@written
def tile(x: Expr, reps: tuple[int, ...]) -> Any:
    n = x.length(0) if x.ndim == 1 else None
    if not isinstance(n, int) or len(reps) != 1:
        return refused("np.tile of several dimensions, or of a length that only a run knows")
    return x[x.of(np.arange(n * reps[0]) % max(n, 1))]


@written
def flatten(x: Expr, order: str = "C") -> Any:
    return copy(ops.ravel(x)) if order == "C" else refused("another order")


@written
def interp(x: Expr, xp: Expr, fp: Expr) -> Any:
    """As NumPy's C code has it, with what it does where a line is not finite."""
    if fp.dtype.kind == "c":
        return refused("np.interp of complex values")
    n = xp.length(0)
    last = n - 1
    after = ops.searchsorted(xp, x, side="right")
    k = ops.clip(after - 1, 0, ops.maximum(last, 0) if isinstance(last, Expr) else max(last, 0))
    x0, x1, y0, y1 = (_double(points[at]) for points in (xp, fp) for at in (k, ops.minimum(k + 1, last)))
    x, slope = _double(x), (y1 - y0) / (x1 - x0)
    found = slope * (x - x0) + y0
    found = ops.where(ops.isnan(found), slope * (x - x1) + y1, found)
    found = ops.where(ops.isnan(found) & (y0 == y1) | (x0 == x), y0, found)
    found = ops.where(ops.equal(after, n), _double(fp[last]), ops.where(after == 0, _double(fp[0]), found))
    return ops.where(ops.logical_and(ops.isnan(x), n > 1), x, found)


def _double(x: Expr) -> Any:
    if x.dtype.kind in "biu":
        return x * 1.0
    return x if x.dtype == np.float64 else ops.add(x, 0.0, dtype=np.dtype("float64"))


@written
def unique(x: Expr, **more: bool) -> Any:
    """The items in their order, but for those that are the one before; all NaN are one."""
    if any(more.values()):
        return refused("np.unique with more than the items")
    items = ops.sort(ops.ravel(x), axis=-1)
    same = items[1:] == items[:-1]
    if x.dtype.kind == "f":
        same = ops.logical_or(same, ops.isnan(items[:-1]))
    return items[ops.concatenate(zeros_like(items[:1]) == 0, ~same)]


@written
def round_(x: Expr, decimals: int = 0) -> Any:
    if x.dtype.kind == "c":
        return refused("np.round of complex numbers")
    if x.dtype.kind != "f":
        return ops.positive(x) if decimals >= 0 else refused("an int is rounded to tens")
    factor = 10.0 ** abs(decimals)
    return ops.rint(x * factor) / factor if decimals > 0 else ops.rint(x / factor) * factor


@written
def isclose(a: Expr, b: Expr, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    b = _double(b) if b.dtype.kind in "biu" else b  # differences of small ints may overflow
    near = ops.less_equal(ops.absolute(a - b), atol + rtol * ops.absolute(b)) & ~ops.isinf(b)
    found = ops.logical_or(near, a == b)
    return ops.logical_or(found, ops.isnan(a) & ops.isnan(b)) if equal_nan else found


@written
def trace(x: Expr, offset: int = 0) -> Any:
    ones = eye(x, x.length(0), x.length(1), offset)
    return ops.sum(ops.where(ones[(..., *(None,) * (x.ndim - 2))] != 0, x, 0), axis=(0, 1))


def _triangle(holds: Callable[..., Any]) -> Any:
    def triangle(x: Expr, k: int = 0) -> Any:
        rows = positions(x, -2 if x.ndim > 1 else 0)[:, None]
        return ops.where(holds(rows, positions(x, -1) - k), x, 0)

    return triangle


@written
def repeat_static(x: Expr, repeats: int, axis: int | None = None) -> Any:
    if axis is None:
        return repeat_static(ops.ravel(x), repeats, 0)
    axis = normalize_axis(axis, x.ndim)
    lengths = [x.length(k) if k != axis else x.length(k) * repeats for k in range(x.ndim)]
    copies = tuple([repeats if k == axis + 1 else 1 for k in range(x.ndim + 1)])
    return reshaped(ops.tile(ops.expand_dims(x, axis=axis + 1), reps=copies), lengths)


@written
def median(x: Expr, axis: Any = None, keepdims: bool = False) -> Any:
    """The middle one of the items in their order, or the mean of two; NaN where one of them is."""
    if isinstance(axis, tuple) or (axis is None and keepdims and x.ndim > 1):
        return refused("np.median over several axes")
    if x.dtype.kind not in "iuf" or x.dtype == np.float16:
        return refused(f"np.median of {x.dtype}")
    if axis is None or not x.ndim:
        x, axis = ops.ravel(x), -1
    items, n = ops.sort(x, axis=axis), x.length(axis)
    if isinstance(n, int) and not n:
        return refused("np.median of nothing")
    low, high, last = (items.along(axis, k) for k in ((n - 1) // 2, n // 2, n - 1))
    found = (low / 1 + high / 1) / 2
    if x.dtype.kind == "f":
        found = ops.where(ops.isnan(last), last, ops.where(low == high, low, found))
    return ops.expand_dims(found, axis=axis) if keepdims else found


@written
def cross(a: Expr, b: Expr) -> Any:
    x, y = ([v[..., k] for k in range(3)] for v in (a, b))
    parts = [x[k - 2] * y[k - 1] - x[k - 1] * y[k - 2] for k in range(3)]
    return ops.stack(*parts, axis=-1) if parts[0].ndim else ops.array(*parts, template=_THREE)


_THREE = Template([Hole(0), Hole(1), Hole(2)])


def within(index: Expr, n: Any, mode: str) -> Any:
    """Indices that are out of bounds, as ``mode`` takes them."""
    if mode == "raise":
        return index
    return ops.remainder(index, n) if mode == "wrap" else ops.clip(index, 0, n - 1)


@written
def take(x: Expr, index: Expr, axis: int | None = None, mode: str = "raise") -> Any:
    if index.dtype.kind not in "iu":
        return refused("np.take of places that are no ints")
    x, axis = (ops.ravel(x), 0) if axis is None else (x, axis)
    return x.along(axis, within(index, x.length(axis), mode))


@written
def select(*items: Expr, count: int) -> Any:
    """The first condition that holds decides."""
    found = items[-1]
    for condition, choice in zip(items[:count][::-1], items[count:-1][::-1], strict=True):
        found = ops.where(condition, choice, found)
    return found


@written
def linspace(
    start: Expr, stop: Expr, *count: Expr, num: Any = 50, endpoint: Any = True, dtype: Any = None
) -> Any:
    if dtype is not None and dtype.kind not in "fc":
        return refused("np.linspace of whole numbers")
    num = count[0] if count else num
    places = start.of(np.arange(num)) if isinstance(num, int) else ops.arange(num)
    places = places[(slice(None), *(None,) * max(start.ndim, stop.ndim))]
    steps = num - 1 if endpoint else num
    steps = max(steps, 1) if isinstance(steps, int) else ops.maximum(steps, 1)
    found = start + places * ((stop - start) / steps)
    return ops.where(ops.equal(places, steps), stop, found) if endpoint else found


@written
def geomspace(start: Expr, stop: Expr, *count: Expr, **of: Any) -> Any:
    part = linspace(start.of(0.0), start.of(1.0), *count, **of)
    return part if isinstance(part, NoDerivative) else start * (stop / start) ** part


def _logspace(*ends: Expr, base: Any = 10.0, **of: Any) -> Any:
    found = linspace(*ends, **of)
    return found if isinstance(found, NoDerivative) else base**found


@written
def kron(a: Expr, b: Expr) -> Any:
    """Each axis of the result is one of the first, and in it one of the second."""
    ndim = max(a.ndim, b.ndim)
    n, m = [[1] * (ndim - x.ndim) + [x.length(k) for k in range(x.ndim)] for x in (a, b)]
    first = reshaped(a, [length for k in n for length in (k, 1)])
    second = reshaped(b, [length for k in m for length in (1, k)])
    return reshaped(first * second, [k * j for k, j in zip(n, m, strict=True)])


def summed_axes(n: int, m: int, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of arrays of n and m dimensions that go together."""
    if isinstance(axes, int):
        left, right = list(range(n - axes, n)), list(range(axes))
    else:
        left, right = [[a] if isinstance(a, int) else list(a) for a in axes]
    return [a % n for a in left], [a % m for a in right]


@written
def tensordot(a: Expr, b: Expr, axes: Any = 2) -> Any:
    """A product of matrices: the axes that are summed over are one, and so are the others."""
    left, right = summed_axes(a.ndim, b.ndim, axes)
    of_a, of_b = [[k for k in range(x.ndim) if k not in s] for x, s in ((a, left), (b, right))]
    rows = reshaped(ops.transpose(a, axes=(*of_a, *left)), [_size(a, of_a), _size(a, left)])
    columns = reshaped(ops.transpose(b, axes=(*right, *of_b)), [_size(b, right), _size(b, of_b)])
    return reshaped(rows @ columns, [*map(a.length, of_a), *map(b.length, of_b)])


def _size(x: Expr, axes: list[int]) -> Any:
    return number_of(x, tuple(axes)) if axes else 1


@written
def nanvar(x: Expr, axis: Any = None, keepdims: bool = False, ddof: float = 0) -> Any:
    if x.dtype.kind not in "fc":
        return var(x, axis, keepdims, ddof)
    apart = ops.where(ops.isnan(x), 0, x - nanmean(x, axis, axis is not None and bool(x.ndim)))
    count = _over(~ops.isnan(x), axis, keepdims) - ddof
    return _over(_squares(apart), axis, keepdims) / ops.where(count > 0, count, math.nan)


@written
def nanmean(x: Expr, axis: Any = None, keepdims: bool = False) -> Any:
    if x.dtype.kind not in "fc":
        return mean(x, axis, keepdims)
    there = ~ops.isnan(x)
    return _over(ops.where(there, x, 0), axis, keepdims) / _over(there, axis, keepdims)


def _extreme_of_numbers(name: str, other: float) -> Any:
    def extreme(x: Expr, **of: Any) -> Any:
        if x.dtype.kind != "f":
            return getattr(ops, name)(x, **of)
        found = getattr(ops, name)(ops.where(ops.isnan(x), other, x), **of)
        return ops.where(ops.sum(~ops.isnan(x), **of) == 0, math.nan, found)

    return extreme


def _norm(x: Expr, ord: Any = None, axis: Any = None, **kept: Any) -> Any:
    vector = isinstance(axis, int) or (axis is None and x.ndim == 1)
    size = ops.absolute(x if x.dtype.kind in "fc" else _double(x))
    if ord is None or (ord == 2 and vector):
        return ops.sqrt(ops.sum(size * size, axis=axis, **kept))
    if not vector or ord not in (1, math.inf):
        return refused(f"a norm of order {ord!r}")
    return (ops.sum if ord == 1 else ops.max)(size, axis=axis, **kept)


def _times(a: Expr, b: Expr) -> Any:
    """Python's numbers are arrays here, and not weak."""
    plain, dtype = a * b, np.result_type(a.dtype, b.dtype)
    return plain if plain.dtype == dtype else ops.multiply(a, b, dtype=dtype)


def _dot(a: Expr, b: Expr) -> Any:
    if not (a.ndim and b.ndim):
        return _times(a, b)
    return tensordot(a, b, ([-1], [-2])) if b.ndim > 2 else a @ b


def _flip(x: Expr, axis: Any = None) -> Any:
    axes = (
        range(x.ndim)
        if axis is None
        else [a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))]
    )
    return x[tuple([slice(None, None, -1) if k in axes else slice(None) for k in range(x.ndim)])]


def _stack(*xs: Expr, axis: int = 0, dtype: Any = None) -> Any:
    wide = [ops.expand_dims(x, axis=normalize_axis(axis, x.ndim + 1)) for x in xs]
    return ops.concatenate(*wide, axis=axis, dtype=dtype)


def _atleast(ndim: int) -> Any:
    return lambda x: x if x.ndim >= ndim else ops.expand_dims(x, axis=tuple(range(ndim - x.ndim)))


def _inner(a: Expr, b: Expr) -> Any:
    if not (a.ndim and b.ndim):
        return _times(a, b)
    return a @ b if a.ndim == b.ndim == 1 else tensordot(a, b, ([-1], [-1]))


WRITTEN |= {
    "std": lambda x, **of: ops.sqrt(var(x, **of)),
    "ptp": lambda x, **of: ops.max(x, **of) - ops.min(x, **of),
    "count_nonzero": lambda x, **of: ops.sum(x != 0, **of),
    "nansum": lambda x, **of: ops.sum(ops.where(ops.isnan(x), 0, x), **of),
    "nanprod": lambda x, **of: ops.prod(ops.where(ops.isnan(x), 1, x), **of),
    "nancumsum": lambda x, **of: ops.cumsum(ops.where(ops.isnan(x), 0, x), **of),
    "nancumprod": lambda x, **of: ops.cumprod(ops.where(ops.isnan(x), 1, x), **of),
    "nanstd": lambda x, **of: ops.sqrt(nanvar(x, **of)),
    "nanmax": _extreme_of_numbers("max", -math.inf), "nanmin": _extreme_of_numbers("min", math.inf),
    "outer": lambda a, b: ops.ravel(a)[:, None] * ops.ravel(b),
    "flatnonzero": lambda x: ops.nonzero(ops.ravel(x)),
    "degrees": lambda x: ops.rad2deg(x), "radians": lambda x: ops.deg2rad(x),
    "signbit": lambda x: ops.copysign(1.0, x) < 0 if x.dtype.kind == "f" else refused("signbit of ints"),
    "tril": _triangle(lambda rows, columns: rows >= columns),
    "triu": _triangle(lambda rows, columns: rows <= columns),
    "linalg.norm": _norm, "dot": _dot, "inner": _inner, "flip": _flip, "stack": _stack,
    "vdot": lambda a, b: ops.ravel(a).conj @ ops.ravel(b),
    "compress": lambda condition, x, axis=None: take(x, ops.flatnonzero(condition), axis),
    "logspace": _logspace,
    "atleast_1d": _atleast(1), "atleast_2d": _atleast(2),
}  # fmt: skip
