"""`tf.linalg`."""

from __future__ import annotations

from typing import Any

from runtime.tf.arguments import name_results, only
from runtime.tf.math import einsum as einsum
from runtime.tf.math import eye as eye
from runtime.tf.math import l2_normalize as l2_normalize
from runtime.tf.math import matmul_ as matmul  # noqa: F401
from runtime.tf.math import norm as norm
from runtime.tf.math import tensordot as tensordot
from runtime.tf.names import refusing
from runtime.tf.tensors import apply, convert, pair


def inv(input: Any, adjoint: bool = False) -> Any:
    only("tf.linalg.inv", adjoint=(adjoint, False))
    return apply("linalg.inv", convert(input))


def det(input: Any) -> Any:
    return apply("linalg.det", convert(input))


def cholesky(input: Any) -> Any:
    return apply("linalg.cholesky", convert(input))


def solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    only("tf.linalg.solve", adjoint=(adjoint, False))
    return apply("linalg.solve", *pair(matrix, rhs))


def qr(input: Any) -> Any:
    return apply("linalg.qr", convert(input))


def diag(diagonal: Any) -> Any:
    x = convert(diagonal)
    if x.ndim != 1:
        raise NotImplementedError("tf.linalg.diag: only of a vector")
    return apply("diag", x)


def diag_part(input: Any) -> Any:
    return apply("diagonal", convert(input), offset=0, axis1=-2, axis2=-1)


def trace(x: Any) -> Any:
    return apply("trace", convert(x))


def matvec(a: Any, b: Any) -> Any:
    return apply("matmul", *pair(a, b))


name_results(globals())
__getattr__ = refusing(__name__, "tf.linalg")
