"""Derivatives of the functions of ``np.linalg`` that no operation stands for, and of ``scipy.linalg``."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from runtime.ops import linalg_rules
from runtime.ops.definition import as_written, refused
from runtime.ops.expressions import Expr, eye, ops, reshaped
from runtime.ops.library_calls import library
from runtime.ops.library_rules.arrays import beside
from runtime.ops.library_rules.table import rules


def _product(arrays: Any) -> Any:
    return reduce(lambda a, b: ops.dot(a, b), beside(*arrays))


def _tensorsolve(a: Any, b: Any) -> Any:
    a, b = beside(a, b)
    shape = [a.length(k) for k in range(b.ndim, a.ndim)]
    n = reduce(lambda x, y: x * y, shape, 1)
    return reshaped(ops.linalg.solve(reshaped(a, [n, n]), ops.ravel(b)), shape)


def _tensorinv(a: Expr, ind: int = 2) -> Any:
    lengths = [a.length(k) for k in range(a.ndim)]
    n = reduce(lambda x, y: x * y, lengths[:ind], 1)
    return reshaped(ops.linalg.inv(reshaped(a, [n, n])), lengths[ind:] + lengths[:ind])


def _eigvals_vjp(g: Expr, y: Expr, a: Expr) -> Any:
    """Of a matrix with distinct eigenvalues: dλ = diag(V⁻¹ dA V)."""
    w, v = library("numpy.linalg.eig")(a, outputs=(y.type, _matrix_like(a, y)))
    return (_of_eigenvalues(g, v),)


def _matrix_like(a: Expr, w: Expr) -> Any:
    return ops.add(a, w[..., None, :]).type


def _of_eigenvalues(g: Expr, v: Expr) -> Expr:
    return ops.linalg.solve(v.mT, g[..., :, None] * v.mT)


def _eig_vjp(g: Any, y: Any, a: Expr) -> Any:
    """The vectors have length 1, and the angle that LAPACK gives them: that does not differentiate."""
    w, v = y
    of_v = g[1]
    along = ops.sum(of_v * v, axis=-2, keepdims=True)
    of_v = of_v - v.conj * ops.real(along)
    inner = linalg_rules.inverse_differences(w) * (v.mT @ of_v) + g[0][..., None, :] * eye(
        g[0], w.length(-1), w.length(-1)
    )
    return (ops.linalg.solve(v.mT, inner @ v.mT),)


def _norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return ops.linalg.norm(a, **_given(ord=ord, axis=axis, keepdims=keepdims))


def _given(**attributes: Any) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None and value is not False}


def _vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    if axis is None:
        if keepdims:
            return refused("np.linalg.vector_norm() of all axes with keepdims")
        return _norm(ops.ravel(x), ord, 0)
    if isinstance(axis, tuple):
        return refused("np.linalg.vector_norm() of several axes")
    return _norm(x, ord, axis, keepdims)


def _matrix_norm(x: Any, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return _norm(x, ord, (-2, -1), keepdims)


def _vecdot(x1: Any, x2: Any) -> Any:
    a, b = beside(x1, x2)
    return ops.sum(a.conj * b, axis=-1)


rules(
    "numpy.linalg",
    multi_dot=as_written(_product),
    tensorsolve=as_written(_tensorsolve),
    tensorinv=as_written(_tensorinv),
    vector_norm=as_written(_vector_norm),
    matrix_norm=as_written(_matrix_norm),
    trace=as_written(
        lambda x, *, offset=0: ops.sum(ops.diagonal(x, offset=offset, axis1=-2, axis2=-1), axis=-1)
    ),
    diagonal=as_written(lambda x, *, offset=0: ops.diagonal(x, offset=offset, axis1=-2, axis2=-1)),
    matrix_transpose=as_written(lambda x: ops.swapaxes(x, axis1=-1, axis2=-2)),
    cross=as_written(lambda x1, x2: ops.cross(*beside(x1, x2))),
    outer=as_written(lambda x1, x2: ops.outer(*beside(x1, x2))),
    matmul=as_written(lambda x1, x2: ops.matmul(*beside(x1, x2))),
    vecdot=as_written(_vecdot),
    svdvals=as_written(lambda x: ops.linalg.svdvals(x)),
    eigvals=_eigvals_vjp,
    eig=_eig_vjp,
)


# -- scipy.linalg --------------------------------------------------------------------------------------


def _solve(a: Any, b: Any, lower: bool = False, *, assume_a: Any = None, transposed: bool = False) -> Any:
    """Where a structure is assumed a part of the matrix alone is read."""
    if assume_a not in (None, "gen", "general") or lower:
        return refused("scipy.linalg.solve with an assumed structure")
    a, b = beside(a, b)
    return ops.linalg.solve(a.mT if transposed else a, b)


def _solve_triangular_vjp(
    g: Expr, y: Expr, a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    a, b = beside(a, b)
    solve = library("scipy.linalg.solve_triangular")
    kind = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}[trans]
    if kind == 2 and a.is_complex:
        return refused("scipy.linalg.solve_triangular with the conjugate of a matrix")
    of_b = solve(a, g, like=y, trans=0 if kind else 1, lower=lower, unit_diagonal=unit_diagonal)
    left, right = (of_b, y) if b.ndim > 1 else (of_b[:, None], y[:, None])
    of_a = -(left @ right.mT) if not kind else -(right @ left.mT)
    k = (-1 if lower else 1) if unit_diagonal else 0
    return ops.tril(of_a, k=k) if lower else ops.triu(of_a, k=k), of_b


def _cholesky(a: Expr, lower: bool = False) -> Any:
    """SciPy reads the triangle that it writes."""
    return ops.linalg.cholesky(a) if lower else ops.linalg.cholesky(a.mH).mH


def _cho_factor(a: Expr, lower: bool = False) -> Any:
    """The other triangle of the factor is what was there before."""
    factor = _cholesky(a, lower)
    return factor + (ops.triu(a, k=1) if lower else ops.tril(a, k=-1)), None


def _cho_solve(c_and_lower: Any, b: Any) -> Any:
    c, lower = c_and_lower
    c, b = beside(c, b)
    factor = ops.where(lower, ops.tril(c), ops.triu(c).mH)
    return ops.linalg.solve(factor.mH, ops.linalg.solve(factor, b))


def _solve_sylvester_vjp(g: Expr, y: Expr, a: Any, b: Any, q: Any) -> Any:
    """A Y + Y B = Q. The transpose of that is such an equation, too."""
    a, b, q = beside(a, b, q)
    if y.is_complex:
        return refused("scipy.linalg.solve_sylvester of complex matrices")
    of_q = library("scipy.linalg.solve_sylvester")(a.mT, b.mT, g, like=y)
    return -(of_q @ y.mT), -(y.mT @ of_q), of_q


def _solve_lyapunov_vjp(g: Expr, y: Expr, a: Any, q: Any) -> Any:
    """A Y + Y Aᵀ = Q."""
    a, q = beside(a, q)
    if y.is_complex:
        return refused("scipy.linalg.solve_continuous_lyapunov of complex matrices")
    of_q = library("scipy.linalg.solve_sylvester")(a.mT, a, g, like=y)
    return -(of_q @ y.mT) - of_q.mT @ y, of_q


def _expm_vjp(g: Expr, y: Expr, A: Expr) -> Any:
    """The block above the diagonal of the exponential of a matrix of blocks (Van Loan, 1978)."""
    if A.ndim != 2 or A.shape[0] is None:
        return refused("scipy.linalg.expm of several matrices")
    n = A.shape[0]
    above = ops.concatenate(A.mT, g + 0 * A, axis=1)
    below = ops.concatenate(0 * A, A.mT, axis=1)
    blocks = ops.concatenate(above, below, axis=0)
    return (library("scipy.linalg.expm")(blocks, like=blocks)[:n, n:],)


def _eigh(a: Expr, b: Any = None, *, lower: bool = True, eigvals_only: bool = False) -> Any:
    if b is not None:
        return refused("scipy.linalg.eigh of a generalised problem")
    w, v = ops.linalg.eigh(a if lower else a.mH)
    return w if eigvals_only else (w, v)


def _svd_vjp(g: Any, y: Any, a: Expr, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    return linalg_rules.svd_vjp(g, y, a, full_matrices) if compute_uv else linalg_rules.svdvals_vjp(g, y, a)


def _qr_vjp(g: Any, y: Any, a: Expr, *, mode: str = "full", pivoting: bool = False) -> Any:
    if mode not in ("full", "economic") or pivoting:
        return refused("scipy.linalg.qr with these arguments")
    return linalg_rules.qr_vjp(g, y, a, "complete" if mode == "full" else "reduced")


def _block_diag(*arrays: Any) -> Any:
    parts = [x if x.ndim == 2 else x[None, :] if x.ndim else x[None, None] for x in beside(*arrays)]
    if any(None in x.shape for x in parts):
        return refused("scipy.linalg.block_diag of matrices whose shapes only a run knows")
    columns = sum(x.shape[1] for x in parts)
    rows, before = [], 0
    for x in parts:
        behind = columns - before - x.shape[1]
        rows.append(ops.pad(x, pad_width=((0, 0), (before, behind))))
        before += x.shape[1]
    return ops.concatenate(*rows, axis=0)


def _toeplitz(c: Any, r: Any = None) -> Any:
    c, r = beside(c, r)
    n, m = c.length(0), (c if r is None else r).length(0)
    if not isinstance(n, int) or not isinstance(m, int):
        return refused("scipy.linalg.toeplitz of a size that only a run knows")
    first = ops.concatenate(ops.flip(c), (c.conj if r is None else r)[1:])
    return first[c.of(np.arange(n - 1, -1, -1)[:, None] + np.arange(m))]


rules(
    "scipy.linalg",
    inv=as_written(lambda a: ops.linalg.inv(a)),
    det=as_written(lambda a: ops.linalg.det(a)),
    pinv=as_written(lambda a: ops.linalg.pinv(a)),
    solve=as_written(_solve),
    solve_triangular=_solve_triangular_vjp,
    cholesky=as_written(_cholesky),
    cho_factor=as_written(_cho_factor),
    cho_solve=as_written(_cho_solve),
    expm=_expm_vjp,
    solve_sylvester=_solve_sylvester_vjp,
    solve_continuous_lyapunov=_solve_lyapunov_vjp,
    solve_lyapunov=_solve_lyapunov_vjp,
    eigh=as_written(_eigh),
    eigvalsh=as_written(partial(_eigh, eigvals_only=True)),
    svd=_svd_vjp,
    svdvals=as_written(lambda a: ops.linalg.svdvals(a)),
    qr=_qr_vjp,
    norm=as_written(_norm),
    block_diag=as_written(_block_diag),
    toeplitz=as_written(_toeplitz),
)
