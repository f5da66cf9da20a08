"""Functions that no operation stands for are called as a whole, and mean what they mean in plain Python."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check

X = np.array([3.0, -1.0, 2.0, 5.0])
M = np.arange(12.0).reshape(3, 4)
S = np.eye(3) * 20 + np.arange(9.0).reshape(3, 3) + np.arange(9.0).reshape(3, 3).T


def statistics(x):
    total = x[0, 0] * 0
    for i in range(3):
        if x[0, i] > 0:
            total += np.cov(x)[0, 1] + np.quantile(x[i], 0.3)
    return total, np.corrcoef(x), np.histogram2d(x[0], x[1], bins=2)[0], np.average(x, weights=x + 1)


def signals(x):
    return np.fft.fft(x), np.fft.rfft(x).real, np.polyfit(np.arange(4.0), x, 2), np.unwrap(x), np.i0(x)


def selections(m, i):
    return m[np.ix_(i, i)], np.delete(m, 1, axis=0), np.insert(m[0], 1, 5.0), np.block([[m, m]])


def sizes_that_depend_on_values(x):
    kept = np.trim_zeros(x * (x > 0))
    return kept, len(kept), np.setdiff1d(x, [2.0]), np.unique(x, return_counts=True)


def arguments_that_the_operation_has_not(x):
    return np.sort(x, kind="stable"), np.array_equal(x, x, equal_nan=True), np.array_split(x, 3)


def decompositions(s):
    return np.linalg.slogdet(s), np.linalg.qr(s), np.linalg.eigvalsh(s), np.linalg.cond(s)


def writes(x):
    np.put_along_axis(x, np.array([0]), 9.0, axis=0)
    return np.partition(x, 2)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (statistics, [Call(M + np.eye(3, 4)), Call(-M), Call(M[:2].repeat(2, 0))]),
        (signals, [Call(X), Call(X[::-1])]),
        (selections, [Call(M, np.array([0, 2, 1])), Call(M, np.array([1]))]),
        (sizes_that_depend_on_values, [Call(X), Call(-X), Call(np.zeros(4)), Call(np.ones(3))]),
        (arguments_that_the_operation_has_not, [Call(X), Call(np.array([1.0, np.nan, 0.0]))]),
        (decompositions, [Call(S), Call(np.eye(2))]),
        (writes, [Call(X), Call(-X)]),
    ],
)
def test_as_in_plain_python(function, calls):
    check(function, *calls)


def test_scipy():
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")

    def f(x, s):
        return special.gammaln(x + 5), special.erf(x), linalg.lu(s), linalg.toeplitz(x)

    check(f, Call(X, S), Call(X[:2], S))


def test_unknown_lengths_are_tried_with_several():
    f = rt.function(lambda x: np.cov(x))
    concrete = f.get_concrete_function(rt.TensorSpec([None, None], "float64"))
    assert "call(x" in str(concrete.graph) and "-> f64[None,None]" in str(concrete.graph)
    np.testing.assert_array_equal(concrete(M), np.cov(M))


def test_a_ufunc_of_the_same_name_is_another():
    add = np.frompyfunc(lambda a, b: a - b, 2, 1)
    with pytest.raises(StagingError):
        rt.function(lambda x: add(x, 1.0))(X)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda s: np.emath.sqrt(s), "what it returns depends on the values: f64"),
        (lambda s: np.linalg.inv(s[:2]), "Last 2 dimensions of the array must be square"),
    ],
)
def test_refused(function, words):
    with pytest.raises(Exception, match=words):
        rt.function(function)(S)
