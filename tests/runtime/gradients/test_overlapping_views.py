"""Gradients through views that overlap themselves, or show other numbers than their array holds."""

import numpy as np
import pytest

import runtime as rt
from tests.runtime.gradients.differences import gradient

W = np.arange(9.0).reshape(3, 3)
X = np.array([1.0, 2.0, 3.0])


def broadcast_arrays(x):
    return (np.broadcast_arrays(x, x[:, None])[0] * W).sum()


def read_in_part(x):
    y = np.broadcast_to(x, (3, 3))
    return (y * W).sum() + y[1, 1] * y[2, 2]


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        y = np.broadcast_to(x * i, (3, 3))
        total += (y * W).sum() * y[i, i]
    return total


def mesh(x):
    a, b = np.meshgrid(x, x)
    return (a * b * W).sum() + a[1, 2]


def imaginary_parts(x):
    z = np.fft.fft(x)
    return (z.imag**2 * W[1]).sum() + z.imag[1] * z.real[1]


ARRAYS_OF_A_NUMBER = {
    "broadcast_to": lambda s: np.broadcast_to(s, (3,)) * 1,
    "reshape": lambda s: np.reshape(s, (1,)),
    "ravel": np.ravel,
    "asarray": np.asarray,
    "atleast_1d": np.atleast_1d,
    "expand_dims": lambda s: np.expand_dims(s, 0),
    "array": np.array,
    "full": lambda s: np.full(3, s),
}


@pytest.mark.parametrize("name", ARRAYS_OF_A_NUMBER)
def test_an_array_of_a_number_has_memory_of_its_own(name):
    def function(x):
        y = ARRAYS_OF_A_NUMBER[name](x[1])
        y[...] = y * y
        return y.sum() * (y * x[0]).sum()

    wanted = gradient(function, [X])
    np.testing.assert_allclose(rt.grad(function)(X), wanted, rtol=1e-6)
    slopes = [rt.jvp(function, (X,), (unit,))[1] for unit in np.eye(3)]
    np.testing.assert_allclose(slopes, wanted, rtol=1e-6)


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("function", [broadcast_arrays, read_in_part, in_a_loop, mesh, imaginary_parts])
def test_gradient(function, engine):
    found = rt.grad(rt.function(function, engine=engine))(X.copy())
    np.testing.assert_allclose(found, gradient(function, (X,)), rtol=1e-5, atol=1e-7)


def written_afterwards(x):
    y = np.broadcast_to(x, (3, 3))
    total = (y[1] * W[0]).sum()
    x[0] = 5.0
    return total + y[2, 0]


def test_an_array_that_is_written_under_its_broadcast_is_refused():
    with pytest.raises(rt.GradientError, match="written later") as refused:
        rt.grad(written_afterwards)(X.copy())
    assert refused.value.line == written_afterwards.__code__.co_firstlineno + 1
