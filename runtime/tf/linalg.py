"""`tf.linalg`."""

from __future__ import annotations

from typing import Any

from runtime.tf.math import einsum as einsum
from runtime.tf.math import eye as eye
from runtime.tf.math import l2_normalize as l2_normalize
from runtime.tf.math import matmul_ as matmul
from runtime.tf.math import norm as norm
from runtime.tf.math import tensordot as tensordot
from runtime.tf.tensors import Tensor, apply, convert, pair


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    if adjoint:
        raise NotImplementedError("tf.linalg.inv: adjoint=True is not supported")
    return apply("linalg.inv", convert(input))  # type: ignore[no-any-return]


def det(input: Any, name: str | None = None) -> Tensor:
    return apply("linalg.det", convert(input))  # type: ignore[no-any-return]


def cholesky(input: Any, name: str | None = None) -> Tensor:
    return apply("linalg.cholesky", convert(input))  # type: ignore[no-any-return]


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    if adjoint:
        raise NotImplementedError("tf.linalg.solve: adjoint=True is not supported")
    return apply("linalg.solve", *pair(matrix, rhs))  # type: ignore[no-any-return]


def qr(input: Any, name: str | None = None) -> Any:
    return apply("linalg.qr", convert(input))


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    x = convert(diagonal)
    if x.ndim != 1:
        raise NotImplementedError("tf.linalg.diag: only of a vector")
    return apply("diag", x)  # type: ignore[no-any-return]


def diag_part(input: Any, name: str | None = None) -> Tensor:
    return apply("diagonal", convert(input), offset=0, axis1=-2, axis2=-1)  # type: ignore[no-any-return]


def trace(x: Any, name: str | None = None) -> Tensor:
    return apply("trace", convert(x))  # type: ignore[no-any-return]


def matvec(a: Any, b: Any, name: str | None = None) -> Tensor:
    return apply("matmul", *pair(a, b))  # type: ignore[no-any-return]
