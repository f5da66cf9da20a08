"""Derivatives of Fourier transforms, of ``np.fft`` and ``scipy.fft``.

A transform is a symmetric matrix, whose transpose is itself. The input is cut or filled with zeros to the
length of the transform first: its cotangent is filled or cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.ops.definition import as_written, none, refused
from runtime.ops.expressions import Expr, along_axis, ops, positions, scattered
from runtime.ops.library_calls import library
from runtime.ops.library_rules.table import rules

PACKAGES = ("numpy.fft", "scipy.fft")


def _call(name: str, like: Expr, lengths: dict[int, Any], x: Expr, **arguments: Any) -> Expr:
    """A transform of ``x``: complex numbers, or floats, of the precision of ``like``."""
    shape = [lengths.get(k, n) for k, n in enumerate(x.shape)]
    found: Expr = library(name)(
        x, shape=[n if isinstance(n, int) else None for n in shape], dtype=_complex(like), **arguments
    )
    return found


def _complex(x: Expr) -> np.dtype[Any]:
    return np.result_type(x.dtype, np.complex64)


def _as_input(found: Expr, x: Expr, axes: Sequence[int]) -> Expr:
    """Cut to the lengths of ``x``, or filled with zeros."""
    for axis in axes:
        n, m = found.length(axis), x.length(axis)
        if isinstance(n, int) and isinstance(m, int):
            if n > m:
                found = found.along(axis, slice(0, m))
            elif n < m:
                widths = [(0, m - n) if k == axis else (0, 0) for k in range(x.ndim)]
                found = ops.pad(found, pad_width=tuple(widths))
            continue
        least = ops.minimum(n, m)
        kept = found.along(axis, slice(0, least))
        lengths = [m if k == axis else found.length(k) for k in range(x.ndim)]
        found = scattered(kept, lengths, (*(slice(0, None),) * axis, slice(0, least)))
    return found


def _transform(package: str, name: str) -> Any:
    """fft and ifft."""

    def vjp(g: Expr, y: Expr, a: Expr, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        axis %= a.ndim
        back = _call(f"{package}.{name}", g, {}, g, axis=axis, norm=norm)
        return (_as_input(back, a, [axis]),)

    return vjp


def _transform_n(package: str, name: str, two: bool) -> Any:
    """fftn and ifftn; of the last two axes fft2 and ifft2."""
    default = (-2, -1) if two else None

    def vjp(g: Expr, y: Expr, a: Expr, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        found = _axes(a, s, axes)
        back = _call(f"{package}.{name}n", g, {}, g, axes=found, norm=norm)
        return (_as_input(back, a, found),)

    return vjp


def _axes(a: Expr, s: Any, axes: Any) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(a.ndim)) if s is None else tuple(range(a.ndim - len(s), a.ndim))
    return tuple([k % a.ndim for k in axes])


# -- of real numbers -----------------------------------------------------------------------------------


def _length(a: Expr, axis: int, n: Any) -> Any:
    return a.length(axis) if n is None else n


def _rfft(package: str) -> Any:
    """The second half of the whole transform is left out: of the cotangent it is 0."""

    def vjp(g: Expr, y: Expr, a: Expr, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        axis %= a.ndim
        whole = _length(a, axis, n)
        if not isinstance(whole, int):
            return refused("a Fourier transform of a length that only a run knows")
        back = _call(f"{package}.fft", g, {axis: whole}, g, n=whole, axis=axis, norm=norm)
        return (_as_input(ops.real(back), a, [axis]),)

    return vjp


def _irfft(package: str) -> Any:
    """Each number but the first, and the middle one, stands for two that are conjugate."""

    def vjp(g: Expr, y: Expr, a: Expr, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        axis %= a.ndim
        whole = y.length(axis)
        if not isinstance(whole, int):
            return refused("a Fourier transform of a length that only a run knows")
        back = _call(f"{package}.ifft", g, {}, g, axis=axis, norm=norm)
        return (_as_input(_half(back, axis, whole), a, [axis]),)

    return vjp


def _half(back: Expr, axis: int, whole: int) -> Expr:
    kept = back.along(axis, slice(0, whole // 2 + 1))
    k = positions(kept, axis)
    once = ops.logical_or(k == 0, 2 * k == whole)
    found: Expr = kept * along_axis(ops.where(once, 1.0, 2.0), kept, axis)
    return found


def _hermitian(package: str, name: str) -> Any:
    """With the other norm hfft is irfft of the conjugate, and ihfft is the conjugate of rfft."""
    other = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}

    def hfft(g: Expr, y: Expr, a: Expr, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        (found,) = _irfft(package)(g, y, a, n, axis, other[norm])
        return (found.conj,)

    def ihfft(g: Expr, y: Expr, a: Expr, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        found: Any = _rfft(package)(g.conj, y, a, n, axis, other[norm])
        return found

    return hfft if name == "hfft" else ihfft


def _rfft_n(package: str, two: bool) -> Any:
    """rfft of the last axis, then fft of the others."""
    default = (-2, -1) if two else None

    def vjp(g: Expr, y: Expr, a: Expr, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        found = _axes(a, s, axes)
        lengths = dict(zip(found, s or [a.length(k) for k in found], strict=True))
        if not all(isinstance(n, int) for n in lengths.values()):
            return refused("a Fourier transform of a length that only a run knows")
        back = _call(f"{package}.fftn", g, lengths, g, s=tuple(lengths.values()), axes=found, norm=norm)
        return (_as_input(ops.real(back), a, found),)

    return vjp


def _irfft_n(package: str, two: bool) -> Any:
    default = (-2, -1) if two else None

    def vjp(g: Expr, y: Expr, a: Expr, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        found = _axes(a, s, axes)
        whole = y.length(found[-1])
        if not isinstance(whole, int):
            return refused("a Fourier transform of a length that only a run knows")
        back = _call(f"{package}.ifftn", g, {}, g, axes=found, norm=norm)
        return (_as_input(_half(back, found[-1], whole), a, found),)

    return vjp


def _shift(inverse: bool) -> Callable[..., Any]:
    def shift(x: Expr, axes: Any = None) -> Any:
        found = range(x.ndim) if axes is None else np.atleast_1d(axes).tolist()
        for axis in found:
            half = x.length(axis) // 2
            x = ops.roll(x, -half if inverse else half, axis=axis)
        return x

    return shift


for _package in PACKAGES:
    rules(
        _package,
        fft=_transform(_package, "fft"),
        ifft=_transform(_package, "ifft"),
        fftn=_transform_n(_package, "fft", two=False),
        ifftn=_transform_n(_package, "ifft", two=False),
        fft2=_transform_n(_package, "fft", two=True),
        ifft2=_transform_n(_package, "ifft", two=True),
        rfft=_rfft(_package),
        irfft=_irfft(_package),
        hfft=_hermitian(_package, "hfft"),
        ihfft=_hermitian(_package, "ihfft"),
        rfftn=_rfft_n(_package, two=False),
        irfftn=_irfft_n(_package, two=False),
        rfft2=_rfft_n(_package, two=True),
        irfft2=_irfft_n(_package, two=True),
        fftshift=as_written(_shift(inverse=False)),
        ifftshift=as_written(_shift(inverse=True)),
        fftfreq=none("frequencies"),
        rfftfreq=none("frequencies"),
    )


# -- cosine and sine transforms ------------------------------------------------------------------------


def _dct(name: str, inverse: str) -> Any:
    """With norm="ortho" the matrix of types 2 and 3 is orthogonal: the transpose is the inverse."""

    def vjp(g: Expr, y: Expr, x: Expr, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        if norm != "ortho" or type not in (2, 3) or n is not None:
            return refused(f"scipy.fft.{name} of types but 2 and 3, or without norm='ortho'")
        return (library(f"scipy.fft.{inverse}")(g, like=g, type=type, axis=axis, norm=norm),)

    return vjp


rules(
    "scipy.fft",
    dct=_dct("dct", "idct"),
    idct=_dct("idct", "dct"),
    dst=_dct("dst", "idst"),
    idst=_dct("idst", "dst"),
)
