"""Derivatives of the functions of ``np.linalg``.

The formulas are the textbook's, for the gradient of a real function, of which the cotangent here is the
conjugate (definition.py): ``g.conj`` at the beginning and ``.conj`` at the end change nothing for real
matrices. Where NumPy reads the lower triangle alone (cholesky, eigh), only that has a derivative. The
vectors of equal eigenvalues or singular values have none: infinite, or NaN, where they are used.

M. Giles, Collected matrix derivative results for forward and reverse mode AD (2008); J. Townsend,
Differentiating the singular value decomposition (2016); D. Roberts and L. Roberts, QR and LQ decomposition
matrix backpropagation algorithms for square, wide, and deep matrices (2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import NoDerivative, refused
from runtime.ops.expressions import Expr, eye, ops, positions, scattered, zeros_like
from runtime.ops.promotion import normalize_axes
from runtime.ops.reduction_rules import extreme_vjp

# -- solving -------------------------------------------------------------------------------------------


def solve_vjp(g: Expr, y: Expr, a: Expr, b: Expr) -> tuple[Any, ...]:
    of_b = ops.linalg.solve(a.mT, g)
    if b.ndim == 1:
        return -of_b[..., :, None] * y[..., None, :], of_b
    return -(of_b @ y.mT), of_b


def pinv_vjp(g: Expr, y: Expr, a: Expr) -> tuple[Any, ...]:
    """Golub and Pereyra: dP = -P dA P + P Pᴴ dAᴴ (I - A P) + (I - P A) dAᴴ Pᴴ P."""
    left = g.mT @ y @ y.mH
    right = y.mH @ y @ g.mT
    return (-(y.mT @ g @ y.mT) + (left - a @ (y @ left) + right - (right @ y) @ a).conj,)


def lstsq_vjp(g: Any, y: Any, a: Expr, b: Expr) -> tuple[Any, ...]:
    """The solution is that of the pseudoinverse. There may be no residuals at all."""
    columns = b[:, None] if b.ndim == 1 else b
    of_x, x = [part[:, None] if b.ndim == 1 else part for part in (g[0], y[0])]
    inverse = ops.linalg.pinv(a)
    (of_a,) = pinv_vjp(of_x @ columns.mT, inverse, a)
    of_b = inverse.mT @ of_x
    weights = scattered(g[1], [columns.length(1)], (slice(0, g[1].length(0)),))
    weighted = 2 * (columns - a @ x).conj * weights
    (of_values,) = svdvals_vjp(g[3], y[3], a)
    of_a = of_a - weighted @ x.mT + of_values
    of_b = of_b + weighted
    return of_a, of_b[:, 0] if b.ndim == 1 else of_b


def slogdet_vjp(g: Any, y: Any, a: Expr) -> tuple[Any, ...]:
    """tr(A⁻¹ dA): its real part is the change of the logarithm, its imaginary part that of the angle."""
    scale = g[1]
    if a.is_complex:
        scale = scale - 1j * ops.real(1j * g[0] * y[0])
    return (scale[..., None, None] * ops.linalg.inv(a).mT,)


def matrix_power_vjp(g: Expr, y: Expr, x: Expr, n: int) -> tuple[Any, ...]:
    if n < 0:
        inverse = ops.linalg.inv(x)
        (of_inverse,) = matrix_power_vjp(g, y, inverse, -n)
        return (-(inverse.mT @ of_inverse @ inverse.mT),)
    found: Any = None
    for k in range(n):
        before, behind = [ops.linalg.matrix_power(x.mT, n=power) for power in (k, n - 1 - k)]
        term = before @ g @ behind
        found = term if found is None else found + term
    return (found,)


# -- of symmetric and Hermitian matrices ---------------------------------------------------------------


def _lower_half(x: Expr) -> Expr:
    """Ones below the diagonal, and 1/2 on it."""
    n = x.length(-1)
    if isinstance(n, int):
        return x.of(np.tril(np.ones((n, n))) - 0.5 * np.eye(n))
    diagonal = eye(x, n, n)
    found: Expr = ops.tril(0 * diagonal + 1) - 0.5 * diagonal
    return found


def _of_lower(s: Expr) -> Expr:
    """The cotangent of a matrix whose lower triangle alone is read, from that of the whole Hermitian one."""
    found: Expr = (s + s.mH) * _lower_half(s)
    return found.conj


def _half_diagonal(x: Expr) -> Expr:
    """The lower triangle with half of the diagonal, which is real."""
    found: Expr = x * _lower_half(x)
    if x.is_complex:
        found = found - 1j * ops.imag(found) * eye(ops.imag(found), x.length(-1), x.length(-1))
    return found


def cholesky_vjp(g: Expr, y: Expr, a: Expr) -> tuple[Any, ...]:
    inner = _half_diagonal(y.mH @ g.conj)
    left = ops.linalg.solve(y.mH, inner)
    return (_of_lower(ops.linalg.solve(y.mT, left.mT).mT),)


def inverse_differences(w: Expr) -> Expr:
    """1 / (w[j] - w[i]) at i, j; 0 on the diagonal."""
    ones = eye(w, w.length(-1), w.length(-1))
    found: Expr = 1 / (w[..., None, :] - w[..., :, None] + ones) - ones
    return found


def eigh_vjp(g: Any, y: Any, a: Expr) -> tuple[Any, ...]:
    (of_w, of_v), (w, v) = g, y
    inner = _diagonal(of_w)
    if not of_v.is_nothing:
        inner = inner + inverse_differences(w) * (v.mH @ of_v.conj)
    return (_of_lower(v @ inner @ v.mH),)


def eigvalsh_vjp(g: Expr, y: Expr, a: Expr) -> tuple[Any, ...]:
    _, v = ops.linalg.eigh(a)
    return (_of_lower((v * g[..., None, :]) @ v.mH),)


def _diagonal(w: Expr) -> Expr:
    """Diagonal matrices of vectors."""
    found: Expr = w[..., None, :] * eye(w, w.length(-1), w.length(-1))
    return found


# -- singular values -----------------------------------------------------------------------------------


def svd_vjp(g: Any, y: Any, a: Expr, full_matrices: bool = True) -> tuple[Any, ...]:
    """The vectors beyond the singular values are any that are orthogonal to the others: they turn with
    those."""
    u, s, vh = y
    of_u, of_s, of_v = g[0].conj, g[1], g[2].mT
    v = vh.mH
    n = s.length(-1)
    are_used = not (g[0].is_nothing and g[2].is_nothing)
    u, of_u = _first_columns(u, of_u, n)
    v, of_v = _first_columns(v, of_v, n)
    inner = _diagonal(of_s)
    if not are_used:
        return ((u @ inner @ v.mH).conj,)
    # s[j]² - s[i]², where the difference of near ones loses no digits
    between = inverse_differences(s) / (s[..., None, :] + s[..., :, None])
    uu, vv = u.mH @ of_u, v.mH @ of_v
    inner = inner + (between * (uu - uu.mH)) * s[..., None, :] + s[..., :, None] * (between * (vv - vv.mH))
    scaled = 1 / s[..., None, :]
    if a.is_complex:  # the angle of each pair of vectors is one choice, not two
        inner = inner + 0.5 * _diagonal(scaled[..., 0, :]) * (uu - uu.mH)
    found = u @ inner @ v.mH
    found = found + ((of_u - u @ uu) * scaled) @ v.mH + (u * scaled) @ (of_v - v @ vv).mH
    return (found.conj,)


def _first_columns(q: Expr, of_q: Expr, n: Any) -> tuple[Expr, Expr]:
    """Of a basis and its cotangent: the others turn so that they stay orthogonal."""
    if q.shape[-1] is not None and q.shape[-1] == n:
        return q, of_q
    first, others = q[..., :n], q[..., n:]
    of_first, of_others = of_q[..., :n], of_q[..., n:]
    return first, of_first - others @ (of_others.mH @ first)


def svdvals_vjp(g: Expr, y: Expr, a: Expr) -> tuple[Any, ...]:
    u, _, vh = ops.linalg.svd(a, full_matrices=False)
    return (((u * g[..., None, :]) @ vh).conj,)


def cond_vjp(g: Expr, y: Expr, a: Expr) -> tuple[Any, ...]:
    """The greatest singular value by the least."""
    u, s, vh = ops.linalg.svd(a, full_matrices=False)
    k = positions(s, -1)
    g, y = [part[..., None] if part.ndim else part for part in (g, y)]
    scaled = g / s[..., -1:]
    of_s = ops.where(k == 0, scaled, 0) - ops.where(k == s.length(-1) - 1, scaled * y, 0)
    return (((u * of_s[..., None, :]) @ vh).conj,)


# -- qr ------------------------------------------------------------------------------------------------


def qr_vjp(g: Any, y: Any, a: Expr, mode: str = "reduced") -> tuple[Any, ...] | NoDerivative:
    (of_q, of_r), (q, r) = (g[0].conj, g[1].conj), y
    rows, columns = a.shape[-2:]
    if rows is None or columns is None:
        return refused("np.linalg.qr of a matrix of which only a run knows the shape")
    if rows >= columns:
        q, of_q = _first_columns(q, of_q, columns)
        return (_qr_of_tall(of_q, of_r[..., :columns, :], q, r[..., :columns, :]).conj,)
    wide = a[..., :, rows:]  # the other columns are those of Q R₂
    of_wide = of_r[..., :, rows:]
    of_q = of_q + wide @ of_wide.mH
    first = _qr_of_tall(of_q, of_r[..., :, :rows], q, r[..., :, :rows])
    return (ops.concatenate(first, q @ of_wide, axis=-1).conj,)


def _qr_of_tall(of_q: Expr, of_r: Expr, q: Expr, r: Expr) -> Expr:
    inner = r @ of_r.mH - of_q.mH @ q
    lower = ops.tril(inner, k=-1)
    diagonal = inner * eye(inner, inner.length(-1), inner.length(-1))
    hermitian = lower + lower.mH + (ops.real(diagonal) if inner.is_complex else diagonal)
    found: Expr = ops.linalg.solve(r.conj, (of_q + q @ hermitian).mT).mT
    return found


# -- norms ---------------------------------------------------------------------------------------------


def norm_vjp(
    g: Expr, y: Expr, x: Expr, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> tuple[Any, ...] | NoDerivative:
    """0 where the norm is 0."""
    if 0 in x.shape:
        return (None,)
    axes = normalize_axes(axis, x.ndim)
    if not keepdims and x.ndim:
        g, y = [part[tuple([None if k in axes else slice(None) for k in range(x.ndim)])] for part in (g, y)]
    if ord is None or ord == "fro" or (ord == 2 and len(axes) == 1):
        return (g * x.conj / ops.where(y == 0, 1, y),)
    if len(axes) == 1:
        return _vector_norm_vjp(g, y, x, ord, axes[0])
    if ord in (1, -1, np.inf, -np.inf):
        summed, kept = axes if abs(ord) == 1 else axes[::-1]
        sums = ops.sum(ops.absolute(x), axis=summed, keepdims=True)
        extreme = (ops.max if ord > 0 else ops.min)(sums, axis=kept, keepdims=True)
        (of_sums,) = extreme_vjp(g, extreme, sums, axis=kept, keepdims=True)
        return (of_sums * ops.sign(x).conj,)
    return _spectral_norm_vjp(g, x, ord, axes)


def _vector_norm_vjp(g: Expr, y: Expr, x: Expr, ord: Any, axis: int) -> tuple[Any, ...] | NoDerivative:
    size = ops.absolute(x)
    if ord == 0:
        return (None,)
    if isinstance(ord, str):
        return refused(f"np.linalg.norm(ord={ord!r}) of a vector")
    if ord in (np.inf, -np.inf):
        (share,) = extreme_vjp(g, y, size, axis=axis, keepdims=True)
        return (share * ops.sign(x).conj,)
    power = (size / ops.where(y == 0, 1, y)) ** (ord - 1.0) if ord != 1 else 1
    return (g * power * ops.sign(x).conj,)


def _spectral_norm_vjp(g: Expr, x: Expr, ord: Any, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """The greatest singular value (2), the least (-2), or their sum ("nuc")."""
    moved, g = [ops.moveaxis(part, source=axes, destination=(-2, -1)) for part in (x, g)]
    u, s, vh = ops.linalg.svd(moved, full_matrices=False)
    if ord == "nuc":
        of_s = zeros_like(s) + g[..., 0]
    else:
        extreme = s[..., :1] if ord == 2 else s[..., -1:]  # equal to y but for rounding
        (of_s,) = extreme_vjp(g[..., 0], extreme, s, axis=-1, keepdims=True)
    found = ((u * of_s[..., None, :]) @ vh).conj
    return (ops.moveaxis(found, source=(-2, -1), destination=axes),)
