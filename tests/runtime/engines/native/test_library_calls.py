"""Functions of libraries in loops: ufuncs on numbers by their C loops, other functions by a call."""

import numpy as np
import pytest

import runtime as rt
from tests.differential import check

special = pytest.importorskip("scipy.special", reason="SciPy is not installed")

X = np.linspace(0.1, 3.0, 7)


def of_numbers(x, n, k):
    total = 0.0
    for i in range(n):
        total += special.erf(x[i]) * special.gamma(x[i]) + special.jv(k, x[i])
        total += special.eval_legendre(k, x[i]) - special.betainc(1.5, 2, np.float32(0.3))
    return total


def of_arrays(x, n, k):
    total = 0.0
    for i in range(n):
        total += special.erf(x[: i + 1]).sum() + np.abs(np.fft.fft(x[i:])).max()
    return total


@pytest.mark.parametrize("f", [of_numbers, of_arrays])
@pytest.mark.parametrize("k", [2, 2.5, np.int32(3), np.float32(0.5)])
def test_the_numbers_are_those_of_the_library(f, k):
    check(f, (X, 7, k), (X.astype(np.float32), 5, k))


def test_what_a_loop_raises_is_raised():
    @rt.function(engine="native")
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += special.gamma(x[i])
        return total

    poles = np.array([1.0, -1.0, 2.0])
    assert np.isnan(f(poles, 3))
    with special.errstate(all="raise"), pytest.raises(special.SpecialFunctionError, match="Gamma"):
        f(poles, 3)
