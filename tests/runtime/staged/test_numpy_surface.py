"""NumPy's functions, methods and operators on staged arrays: values, kinds, dtypes and errors are NumPy's."""

from operator import attrgetter

import numpy as np
import pytest

from autograph.errors import StagingError
from runtime.ops import REGISTRY
from tests.observation import Observer, first_difference
from tests.runtime.ops.test_registry import split, value_of
from tests.runtime.samples import each_sample
from tests.runtime.staging import as_traced, outcome, run

A = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]])
V = np.array([3, 1, 2])
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
    lambda x: x.reshape(3, 2),
    lambda x: x.reshape((-1,)),
    lambda x: x.flatten(),
    lambda x: x.transpose(1, 0),
    lambda x: x.transpose(),
    lambda x: x[None].squeeze(),
    lambda x: x.clip(max=1),
    lambda x: x.item(1, 2),
    lambda x: x.item(4),
    lambda x: tuple(x.tolist()[1]),
    lambda x: x.conj(),
    lambda x: x.real,
    lambda x: x.imag,
    lambda x: np.add(x, 1, dtype=np.float32),
    lambda x: np.concatenate((x, x), axis=1),
    lambda x: np.vstack([x, x[0]]),
    lambda x: np.hstack([x, x]),
    lambda x: np.dstack([x, x]),
    lambda x: np.column_stack([x[0], x[1]]),
    lambda x: np.append(x, 5),
    lambda x: np.append(x, x, 0),
    lambda x: np.flipud(x),
    lambda x: np.fliplr(x),
    lambda x: np.pad(x, 1),
    lambda x: np.pad(x, ((0, 1), (2, 0)), constant_values=9),
    lambda x: tuple(np.split(x, 3, axis=1)),
    lambda x: tuple(np.array_split(x[0], 2)),
    lambda x: tuple(np.vsplit(x, 2)),
    lambda x: (*np.split(x, 1), *np.hsplit(x, 1), *np.array_split(x, [])),
    lambda x: np.einsum("ij,kj->ik", x, x),
    lambda x: np.where(x > 0),
    lambda x: np.searchsorted(np.sort(x[0]), 2.0),
    lambda x: np.allclose(x, x),
    lambda x: np.array_equal(x, x),
    lambda x: np.select([x > 2, x > 0], [x, -x], 7),
    lambda x: np.linalg.svd(x, full_matrices=False)[1],
    lambda x: np.zeros_like(x),
    lambda x: np.ones_like(x, dtype=int),
    lambda x: np.full_like(x, 3),
    lambda x: np.array(x),
    lambda x: np.array([x[0], [1, 2, 3]]),
    lambda x: np.array([[x[0, 0], 1], [2, x[1, 1]]]),
    lambda x: np.array([x[0, 0], 1j]),
    lambda x: np.asarray(x),
    lambda x: np.array([x[0].sum(), 2], dtype=np.float32),
    lambda x: np.add.reduce(x),
    lambda x: np.add.accumulate(x, axis=1),
    lambda x: np.add.outer(x[0], x[1]),
    lambda x: np.maximum.reduce(x, axis=1),
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
    lambda x: (x > 0).sum(),
    lambda x: (x > 0).mean(),
    lambda x: np.bincount([0, 1, 1, 3]) + x.shape[0],
    lambda x: x.view(),
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


def function_of(name):
    """NumPy's function of that name; None where there is none."""
    try:
        found = attrgetter(name)(np)
    except AttributeError:
        return None
    return found if callable(found) else None


#: operations that are functions of NumPy's, of arrays
FUNCTIONS = {
    name: definition.samples
    for name, definition in REGISTRY.items()
    if definition.samples
    and isinstance([*definition.samples[0], 0][0], tuple)
    and name != "asarray"
    and function_of(name)
}
METHODS = {name: samples for name, samples in FUNCTIONS.items() if hasattr(np.ndarray, name)}


def agrees_on(call, sample):
    """Does it, for an array of each shape? NumPy refuses some of these arguments."""
    specs, attributes = split(sample)
    args = [value_of(spec, float, k) for k, spec in enumerate(specs)]
    expected = outcome(lambda *xs: call(*xs, **attributes), *args)
    refused = isinstance(expected, tuple) and len(expected) == 2 and isinstance(expected[0], type)
    assert refused or agrees(lambda *xs: call(*xs, **attributes), *args) is None


@each_sample(FUNCTIONS)
def test_functions_of_operations(name, sample):
    agrees_on(function_of(name), sample)


@each_sample(METHODS)
def test_methods_of_operations(name, sample):
    agrees_on(lambda x, *rest, **attributes: getattr(x, name)(*rest, **attributes), sample)


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
