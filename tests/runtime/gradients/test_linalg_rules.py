"""Decompositions of complex and of special matrices, by what does not hang on how vectors are chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from tests.runtime.gradients.differences import gradient

X = np.array([0.3, 0.8, 0.45, 0.9])
A = np.random.default_rng(0).normal(size=(4, 4)) + 1j * np.random.default_rng(1).normal(size=(4, 4))


def matrix(x: Any) -> Any:
    return A + np.outer(x, x * x) * (1 + 0.5j)


def distance(z: Any) -> Any:
    """A real number that depends on every part."""
    return (np.abs(z - (A[: z.shape[0], : z.shape[1]]).conj()) ** 2).sum()


def low_rank(x: Any) -> Any:
    u, s, vh = np.linalg.svd(matrix(x)[:3], full_matrices=False)
    return distance((u[:, :2] * s[:2]) @ vh[:2])


def null_space(x: Any) -> Any:
    u, _, _ = np.linalg.svd(matrix(x)[:, :2])
    return distance(u[:, 2:] @ u[:, 2:].conj().T)


def matrix_function(x: Any) -> Any:
    w, v = np.linalg.eigh(matrix(x) + matrix(x).conj().T)
    return distance((v * np.sin(w)) @ v.conj().T)


def complement(x: Any) -> Any:
    q, r = np.linalg.qr(matrix(x)[:, :2], mode="complete")
    return distance(q[:, 2:] @ q[:, 2:].conj().T) + distance(np.abs(r))


def factor(x: Any) -> Any:
    return distance(np.linalg.cholesky(matrix(x) @ matrix(x).conj().T))


def singular_values(x: Any) -> Any:
    return (np.linalg.svd(matrix(x))[1] ** 3).sum() + np.linalg.norm(matrix(x), "nuc")


def angle_of_determinant(x: Any) -> Any:
    sign, log = np.linalg.slogdet(matrix(x))
    return distance((sign * log).reshape(1, 1))


def several_matrices(x: Any) -> Any:
    stack = np.stack([matrix(x), matrix(2 * x)])
    return distance(np.linalg.inv(stack)[1]) + np.abs(np.linalg.det(stack)).sum()


@pytest.mark.parametrize(
    "function",
    [low_rank, null_space, matrix_function, complement, factor, singular_values, angle_of_determinant,
     several_matrices],
)  # fmt: skip
def test_complex_matrices(function: Callable[..., Any]) -> None:
    found = rt.grad(function)(X.copy())
    np.testing.assert_allclose(found, gradient(function, [X.copy()]), rtol=1e-5, atol=1e-6)


def test_equal_singular_values_have_derivatives_and_their_vectors_have_none() -> None:
    equal = np.eye(3)
    values = rt.grad(lambda a: (np.linalg.svd(a)[1] ** 2).sum())(equal)
    np.testing.assert_allclose(values, 2 * equal)
    with np.errstate(all="ignore"):
        vectors = rt.grad(lambda a: np.linalg.svd(a)[0].sum())(equal)
    assert not np.isfinite(vectors).any()


def test_a_singular_matrix_has_no_derivative_of_its_determinant() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        rt.grad(np.linalg.det)(np.zeros((2, 2)))


def test_more_unknowns_than_equations() -> None:
    def solution(x: Any) -> Any:
        return (np.linalg.lstsq(matrix(x)[:2].real, x[:2])[0] ** 2).sum()

    np.testing.assert_allclose(rt.grad(solution)(X.copy()), gradient(solution, [X.copy()]), rtol=1e-5)


def test_residuals() -> None:
    def residual(x: Any) -> Any:
        return np.linalg.lstsq(matrix(x)[:, :2].real, x)[1].sum()

    np.testing.assert_allclose(rt.grad(residual)(X.copy()), gradient(residual, [X.copy()]), rtol=1e-5)
