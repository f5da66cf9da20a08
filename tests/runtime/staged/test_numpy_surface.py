"""NumPy's functions, methods and operators on staged arrays: values, kinds, dtypes and errors are NumPy's."""

import numpy as np
import pytest

from autograph.errors import StagingError
from tests.observation import Observer, first_difference
from tests.runtime.staging import as_traced, outcome, run

A = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]])
V = np.array([3, 1, 2])
S = np.array([[4.0, 1.0], [1.0, 3.0]])
F = np.float64(2.5)

ON_A = [
    lambda x: x + 1,
    lambda x: 1 - x,
    lambda x: x * 2.5,
    lambda x: x / 2,
    lambda x: 7 // x,
    lambda x: x % 2,
    lambda x: x**2,
    lambda x: 2**x,
    lambda x: -x,
    lambda x: +x,
    lambda x: abs(x),
    lambda x: divmod(x, 2),
    lambda x: x < 2,
    lambda x: x == 2.0,
    lambda x: x != [1, 2, 3],
    lambda x: (x > 0) & (x < 3),
    lambda x: ~(x > 0),
    lambda x: x @ x.T,
    lambda x: x @ [1, 2, 3],
    lambda x: [1, 2] @ x,
    lambda x: np.float32(2) * x,
    lambda x: x + True,
    lambda x: x.T,
    lambda x: x.sum(),
    lambda x: x.sum(0),
    lambda x: x.sum(axis=-1, keepdims=True),
    lambda x: x.mean(),
    lambda x: x.max(1),
    lambda x: x.min(),
    lambda x: x.std(),
    lambda x: x.var(axis=0, ddof=1),
    lambda x: x.argmax(),
    lambda x: x.argmin(1),
    lambda x: x.cumsum(),
    lambda x: x.cumprod(1),
    lambda x: x.any(),
    lambda x: x.all(0),
    lambda x: x.prod(),
    lambda x: x.reshape(3, 2),
    lambda x: x.reshape((-1,)),
    lambda x: x.reshape(-1, 2),
    lambda x: x.ravel(),
    lambda x: x.flatten(),
    lambda x: x.transpose(1, 0),
    lambda x: x.transpose(),
    lambda x: x.swapaxes(0, 1),
    lambda x: x[None].squeeze(),
    lambda x: x.astype(np.float32),
    lambda x: x.astype(int),
    lambda x: x.copy(),
    lambda x: x.clip(0, 2),
    lambda x: x.clip(max=1),
    lambda x: x.round(),
    lambda x: x.dot([1, 2, 3]),
    lambda x: x.nonzero(),
    lambda x: x.argsort(),
    lambda x: x.repeat(2),
    lambda x: x.diagonal(),
    lambda x: x.repeat(2, 0),
    lambda x: x.take([0, 2], 1),
    lambda x: x.trace(),
    lambda x: x.item(1, 2),
    lambda x: x.item(4),
    lambda x: tuple(x.tolist()[1]),
    lambda x: x.conj(),
    lambda x: x.real,
    lambda x: x.imag,
    lambda x: np.sin(x),
    lambda x: np.maximum(x, 1),
    lambda x: np.where(x > 0, x, 0),
    lambda x: np.add(x, 1),
    lambda x: np.add(x, 1, dtype=np.float32),
    lambda x: np.clip(x, -1, 1),
    lambda x: np.sum(x),
    lambda x: np.mean(x, 1),
    lambda x: np.median(x),
    lambda x: np.percentile(x, 30),
    lambda x: np.quantile(x, [0.1, 0.5], axis=1),
    lambda x: np.concatenate([x, x]),
    lambda x: np.concatenate((x, x), axis=1),
    lambda x: np.stack([x, x], axis=1),
    lambda x: np.vstack([x, x[0]]),
    lambda x: np.hstack([x, x]),
    lambda x: np.dstack([x, x]),
    lambda x: np.tile(x, 2),
    lambda x: np.column_stack([x[0], x[1]]),
    lambda x: np.append(x, 5),
    lambda x: np.append(x, x, 0),
    lambda x: np.flip(x),
    lambda x: np.flipud(x),
    lambda x: np.fliplr(x),
    lambda x: np.roll(x, 1),
    lambda x: np.roll(x, 1, axis=0),
    lambda x: np.rot90(x),
    lambda x: np.pad(x, 1),
    lambda x: np.pad(x, ((0, 1), (2, 0)), constant_values=9),
    lambda x: tuple(np.split(x, 3, axis=1)),
    lambda x: tuple(np.array_split(x[0], 2)),
    lambda x: tuple(np.vsplit(x, 2)),
    lambda x: (*np.split(x, 1), *np.hsplit(x, 1), *np.array_split(x, [])),
    lambda x: np.moveaxis(x, 0, 1),
    lambda x: np.expand_dims(x, 1),
    lambda x: np.squeeze(x[:, None]),
    lambda x: np.tril(x),
    lambda x: np.triu(x, 1),
    lambda x: np.diag(x),
    lambda x: np.diag(x[0]),
    lambda x: np.trace(x),
    lambda x: np.outer(x[0], x[1]),
    lambda x: np.einsum("ij,kj->ik", x, x),
    lambda x: np.einsum("ij->j", x),
    lambda x: np.tensordot(x, x, ([1], [1])),
    lambda x: np.dot(x, x.T),
    lambda x: np.inner(x, x),
    lambda x: np.vdot(x, x),
    lambda x: np.kron(x, x),
    lambda x: np.cross(x, x + 1),
    lambda x: np.sort(x),
    lambda x: np.sort(x, axis=None),
    lambda x: np.argsort(x, axis=0),
    lambda x: np.unique(x),
    lambda x: np.nonzero(x),
    lambda x: np.where(x > 0),
    lambda x: np.argwhere(x > 0),
    lambda x: np.flatnonzero(x > 0),
    lambda x: np.count_nonzero(x > 0),
    lambda x: np.count_nonzero(x > 0, axis=0),
    lambda x: np.searchsorted(np.sort(x[0]), 2.0),
    lambda x: np.diff(x),
    lambda x: np.interp(1.5, [0, 1, 2], x[0]),
    lambda x: np.convolve(x[0], x[1]),
    lambda x: np.isclose(x, x),
    lambda x: np.allclose(x, x),
    lambda x: np.array_equal(x, x),
    lambda x: np.isnan(x),
    lambda x: np.nan_to_num(x),
    lambda x: np.round(x, 1),
    lambda x: np.take(x, [0, 1]),
    lambda x: np.compress([True, False], x, 0),
    lambda x: np.select([x > 2, x > 0], [x, -x], 7),
    lambda x: np.linalg.norm(x),
    lambda x: np.linalg.norm(x, axis=1),
    lambda x: np.linalg.svd(x, full_matrices=False)[1],
    lambda x: np.linalg.qr(x),
    lambda x: np.zeros_like(x),
    lambda x: np.ones_like(x, dtype=int),
    lambda x: np.full_like(x, 3),
    lambda x: np.array(x),
    lambda x: np.array([x[0], [1, 2, 3]]),
    lambda x: np.array([[x[0, 0], 1], [2, x[1, 1]]]),
    lambda x: np.array([x[0, 0], 1j]),
    lambda x: np.asarray(x),
    lambda x: np.copy(x),
    lambda x: np.array([x[0].sum(), 2], dtype=np.float32),
    lambda x: np.add.reduce(x),
    lambda x: np.add.accumulate(x, axis=1),
    lambda x: np.add.outer(x[0], x[1]),
    lambda x: np.maximum.reduce(x, axis=1),
    lambda x: np.broadcast_to(x, (2, 2, 3)),
    lambda x: np.float32(x[0, 0]),
    lambda x: np.int64(x[0, 0]),
    lambda x: np.meshgrid(x[0], x[1])[0],
    lambda x: sum(x),
    lambda x: sum(x[0]),
    lambda x: min(x[0]),
    lambda x: max(x[0]),
    lambda x: x.ndim,
    lambda x: x.size,
    lambda x: np.shape(x),
    lambda x: np.ndim(x),
    lambda x: np.size(x, 1),
    lambda x: x[0] @ x[1],
    lambda x: np.arange(x.shape[0]),
    lambda x: np.logical_and(x > 0, x < 3),
    lambda x: np.frexp(x),
    lambda x: np.modf(x),
    lambda x: np.hypot(x, 3),
    lambda x: (x > 0).sum(),
    lambda x: (x > 0).mean(),
    lambda x: x.mean(dtype=np.float32),
    lambda x: np.ptp(x, axis=0),
    lambda x: np.isin(x, [2.0, 4.0]),
    lambda x: np.bincount([0, 1, 1, 3]) + x.shape[0],
    lambda x: np.lexsort((x[0], x[1])),
    lambda x: np.cumsum(x, 0),
    lambda x: np.atleast_3d(x),
    lambda x: np.histogram(x, 4),
    lambda x: x.view(),
    lambda x: np.real(x),
]

#: what raises in NumPy raises the same here
ERRORS = [
    lambda x: x + np.zeros(5)[0:4].sum() + [1, 2],
    lambda x: x @ [1, 2],
    lambda x: x.reshape(4, 2),
    lambda x: x.sum(2),
    lambda x: x & 1,
    lambda x: x << 1,
    lambda x: x.foo,
    lambda x: np.concatenate([x, x[0]]),
    lambda x: x.transpose(0, 0),
    lambda x: np.stack([x, x[0]]),
    lambda x: x.astype("i8", casting="safe"),
    lambda x: x.item(),
    lambda x: len(x[0, 0]),
    lambda x: hash(x),
    lambda x: np.expand_dims(x, 5),
    lambda x: x[0, 0].foo,
]


def agrees(function, *args):
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    expected = outcome(function, *args)
    got = outcome(lambda *a: run(as_traced(function), *a), *copies)
    return first_difference(Observer().see((expected, args)), Observer().see((got, tuple(copies))))


@pytest.mark.parametrize("k", range(len(ON_A)))
def test_functions_and_methods(k):
    assert agrees(ON_A[k], A) is None


@pytest.mark.parametrize("k", range(len(ERRORS)))
def test_errors_are_numpys(k):
    assert agrees(ERRORS[k], A) is None


INPLACE = [
    lambda x: x.__iadd__(1),
    lambda x: x.__imul__([1, 2, 3]),
    lambda x: x.__itruediv__(2),
    lambda x: x.__ipow__(2),
    lambda x: x.fill(3),
    lambda x: x.sort(),
    lambda x: x.sort(0),
    lambda x: x.put([0, 1], [8, 9]),
    lambda x: np.copyto(x, 5),
    lambda x: np.copyto(x, [1, 2, 3], where=x > 0),
    lambda x: np.add(x, 1, out=x),
    lambda x: np.sin(x, x),
    lambda x: np.add(x, 1, where=x > 0, out=x),
    lambda x: np.add.at(x, [0, 0], 1),
    lambda x: np.fill_diagonal(x, 7),
    lambda x: np.putmask(x, x > 0, 0),
    lambda x: np.place(x, x > 0, [1, 2]),
    lambda x: np.sum(x, axis=0, out=x[0]),
    lambda x: np.cumsum(x[0], out=x[1]),
    lambda x: x[0].__iadd__(x[1]),
]


@pytest.mark.parametrize("k", range(len(INPLACE)))
def test_writes(k):
    def wrote(x):
        INPLACE[k](x)
        return x

    assert agrees(wrote, A.copy()) is None


def test_writes_that_numpy_refuses_for_their_dtype():
    for write in (lambda x: x.__iadd__(1.5), lambda x: x.__itruediv__(2), lambda x: x.__iadd__([1, 2, 3, 4])):
        assert agrees(lambda x: (write(x), x)[1], V.copy()) is None


@pytest.mark.parametrize(
    "function",
    [
        lambda s: np.linalg.solve(s, [1, 2]),
        np.linalg.inv,
        np.linalg.det,
        np.linalg.cholesky,
        np.linalg.eigh,
        np.linalg.slogdet,
        lambda s: np.linalg.matrix_power(s, 3),
        np.linalg.eigvalsh,
        np.linalg.pinv,
    ],
)
def test_linear_algebra(function):
    expected, got = function(S), run(as_traced(function) if hasattr(function, "__code__") else function, S)
    for a, b in zip(expected, got, strict=True) if isinstance(expected, tuple) else [(expected, got)]:
        assert np.array_equal(a, b)


@pytest.mark.parametrize(
    "function",
    [
        lambda f: f + 1,
        lambda f: f // 2,
        lambda f: f * np.float32(3),
        lambda f: -f,
        lambda f: f < 3,
        lambda f: round(f, 1),
        lambda f: np.sqrt(f),
        lambda f: f.astype(np.int32),
        lambda f: f.item(),
        lambda f: f.reshape(1),
        lambda f: f.sum(),
        lambda f: f[()],
        lambda f: f[None],
        lambda f: f[...],
        lambda f: f.T,
        lambda f: f.copy(),
        lambda f: f.real,
        lambda f: f.shape,
        lambda f: f.is_integer(),
        lambda f: f[0],
        lambda f: f.foo,
        lambda f: len(f),
        lambda f: np.array(f),
        lambda f: np.where(f > 1, 1, 2),
        lambda f: np.add(f, [1, 2]),
        lambda f: f / 0,
    ],
)
def test_scalars(function):
    assert agrees(function, F) is None


@pytest.mark.parametrize(
    "function",
    [
        lambda n: np.zeros(n),
        lambda n: np.ones((n, 2), dtype=np.float32),
        lambda n: np.full((n,), n),
        lambda n: np.arange(n),
        lambda n: np.arange(1, n),
        lambda n: np.arange(0, n, 2),
        lambda n: np.eye(n),
        lambda n: np.identity(n),
        lambda n: np.linspace(0, 1, n),
        lambda n: np.linspace(0, n),
        lambda n: np.array([n, n + 1]),
        lambda n: np.array(n),
        lambda n: np.sqrt(n),
        lambda n: np.add(n, 1),
        lambda n: np.maximum(n, 2.5),
        lambda n: np.float32(n),
        lambda n: np.int8(n),
        lambda n: np.arange(6).reshape(n, -1),
        lambda n: np.zeros((2, n))[1],
        lambda n: np.full(n, True),
        lambda n: np.arange(n) * 2.0,
    ],
)
def test_creation_with_staged_lengths(function):
    assert agrees(function, 3) is None


def test_what_cannot_be_staged_says_so():
    cases = {
        lambda x: np.save("f", x): "has no staged form",
        lambda x: bool(x): "plain Python asks for the truth",
        lambda x: float(x[0]): "plain Python code asks for the value",
        lambda x: x.tobytes(): "the attribute `tobytes` of arrays is not supported",
        lambda x: x + np.ones(3): "an array that the trace does not know",
        lambda x: np.add(x, 1, where=x > 0): "leaves items uninitialised",
        lambda x: str(x): "str() of a staged value",
        lambda x: 2.0 in x: "known only at run time",
        lambda x: np.vectorize(abs)(x): "contents of a staged array",
    }
    for function, words in cases.items():
        with pytest.raises(StagingError, match=words.replace("(", r"\(").replace(")", r"\)")) as caught:
            run(function, np.ones(3))
        assert caught.value.hint
