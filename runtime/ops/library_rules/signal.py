"""Derivatives of ``scipy.signal`` and ``scipy.ndimage``: convolutions, correlations, and filters."""

from __future__ import annotations

from typing import Any

from runtime.ops.definition import NoDerivative, as_written, refused
from runtime.ops.expressions import Expr, ops, scattered
from runtime.ops.library_calls import library
from runtime.ops.library_rules.arrays import beside
from runtime.ops.library_rules.table import rules


def _reversed(x: Expr) -> Expr:
    found: Expr = ops.flip(x)
    return found


def _full(a: Expr, b: Expr, shape: list[Any], mode: str) -> Expr:
    """A convolution of arrays; ``mode`` is "full" or "valid"."""
    dtype = ops.add(a[(0,) * a.ndim], b[(0,) * b.ndim]).dtype
    found: Expr = library("scipy.signal.convolve")(
        a, b, shape=[n if isinstance(n, int) else None for n in shape], dtype=dtype, mode=mode
    )
    return found


def convolution_vjp(g: Expr, a: Any, b: Any, mode: str) -> tuple[Any, ...] | NoDerivative:
    """Each is the correlation of the other with the cotangent of the full convolution."""
    a, b = beside(a, b)
    if mode not in ("full", "same", "valid"):
        return refused(f"a convolution of mode {mode!r}")
    if None in a.shape or None in b.shape:
        return refused("a convolution of arrays whose shapes only a run knows")
    lengths = [n + m - 1 for n, m in zip(a.shape, b.shape, strict=True)]
    if mode != "full":
        starts = [(n - k) // 2 for n, k in zip(lengths, g.shape, strict=True)]
        index = tuple([slice(s, s + k) for s, k in zip(starts, g.shape, strict=True)])
        g = scattered(g, lengths, index)
    return (_full(g, _reversed(b), list(a.shape), "valid"), _full(g, _reversed(a), list(b.shape), "valid"))


def _convolve_vjp(
    g: Expr, y: Expr, in1: Any, in2: Any, mode: str = "full", method: str = "auto"
) -> tuple[Any, ...] | NoDerivative:
    return convolution_vjp(g, in1, in2, mode)


def _fftconvolve_vjp(
    g: Expr, y: Expr, in1: Any, in2: Any, mode: str = "full", axes: Any = None
) -> tuple[Any, ...] | NoDerivative:
    if axes is not None:
        return refused("a convolution along some axes")
    return convolution_vjp(g, in1, in2, mode)


def _correlate_vjp(
    g: Expr, y: Expr, in1: Any, in2: Any, mode: str = "full", method: str = "auto"
) -> tuple[Any, ...] | NoDerivative:
    """The convolution with the second one reversed and conjugate."""
    in1, in2 = beside(in1, in2)
    if mode == "valid" and any(n < m for n, m in zip(in1.shape, in2.shape, strict=True) if n and m):
        return refused("scipy.signal.correlate(mode='valid') with the shorter array first")
    found = convolution_vjp(g, in1, _reversed(in2.conj), mode)
    if isinstance(found, NoDerivative):
        return found
    return found[0], _reversed(found[1]).conj


def _lfilter_vjp(g: Expr, y: Expr, b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A filter is linear in what goes in: its transpose runs from the end. Each coefficient is a factor of a
    signal that is delayed."""
    if zi is not None:
        return refused("scipy.signal.lfilter with an initial state")
    b, a, x = beside(b, a, x)
    if None in b.shape or None in a.shape or x.ndim != 1:
        return refused("scipy.signal.lfilter of more than one dimension")
    g = _filtered(a[:1] * 0 + 1, a, g)
    of_x = _transposed_moving(g, b, x)
    of_b = ops.stack(*[ops.sum(g * _delayed(x, k)) for k in range(b.shape[0])])
    of_a = ops.stack(*[-ops.sum(g * _delayed(y, k)) for k in range(a.shape[0])])
    return of_b, of_a, of_x


def _filtered(b: Expr, a: Expr, g: Expr) -> Expr:
    """The cotangent of the right side of the recurrence."""
    found = library("scipy.signal.lfilter")(b, a, ops.flip(g), like=g)
    flipped: Expr = ops.flip(found)
    return flipped


def _transposed_moving(g: Expr, b: Expr, x: Expr) -> Expr:
    full = ops.convolve(ops.flip(g), b)
    found: Expr = ops.flip(full[: x.length(0)])
    return found


def _delayed(x: Expr, k: int) -> Expr:
    if not k:
        return x
    n = x.length(0)
    return scattered(x[: n - k], [n], (slice(k, n),))


def _detrend_vjp(
    g: Expr, y: Expr, data: Expr, axis: int = -1, type: str = "linear", bp: Any = 0
) -> tuple[Any, ...]:
    """A projection, which is its own transpose."""
    return (library("scipy.signal.detrend")(g, like=g, axis=axis, type=type, bp=bp),)


# -- scipy.ndimage -------------------------------------------------------------------------------------

#: what lies beyond the borders -> the mode of `pad` that has it there
_BORDERS = {
    "reflect": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "constant": "constant",
}


def _neighbours(convolved: bool) -> Any:
    def filtered(
        input: Any,
        weights: Any,
        output: Any = None,
        mode: str = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
    ) -> Any:
        x, weights = beside(input, weights)
        border = _BORDERS.get(mode)
        if border is None or output is not None or cval or origin:
            return refused("a filter of scipy.ndimage with these arguments")
        if None in x.shape or None in weights.shape or not all(n % 2 for n in weights.shape):
            return refused("a filter of scipy.ndimage of an even size, or one that only a run knows")
        widths = tuple([(n // 2, n // 2) for n in weights.shape])
        kernel = weights if convolved else _reversed(weights)
        return _full(ops.pad(x, pad_width=widths, mode=border), kernel, list(x.shape), "valid")

    return as_written(filtered)


def _smoothing(name: str) -> Any:
    """With these borders a symmetric filter is a symmetric matrix."""

    def vjp(
        g: Expr, y: Expr, input: Expr, width: Any, *args: Any, order: Any = 0, mode: str = "reflect",
        cval: float = 0.0, **given: Any
    ) -> tuple[Any, ...] | NoDerivative:  # fmt: skip
        if args or order or cval or mode not in ("reflect", "wrap", "constant") or isinstance(width, Expr):
            return refused(f"scipy.ndimage.{name} with these arguments")
        return (library(f"scipy.ndimage.{name}")(g, width, like=g, mode=mode, **given),)

    return vjp


rules(
    "scipy.ndimage",
    convolve=_neighbours(convolved=True),
    correlate=_neighbours(convolved=False),
    gaussian_filter=_smoothing("gaussian_filter"),
)

rules(
    "scipy.signal",
    detrend=_detrend_vjp,
    convolve=_convolve_vjp,
    fftconvolve=_fftconvolve_vjp,
    oaconvolve=_fftconvolve_vjp,
    convolve2d=lambda g, y, in1, in2, mode="full": convolution_vjp(g, in1, in2, mode),
    correlate=_correlate_vjp,
    lfilter=_lfilter_vjp,
)
