"""NumPy's functions with the arguments that people give them, where the staged form knows less than NumPy."""

import numpy as np
import pytest

from autograph.errors import StagingError
from tests.differential import Call, check

A = np.arange(12.0).reshape(3, 4) - 5
INTS = np.arange(12).reshape(3, 4)


def quietly(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (x - x)
        if x[0, 0] > 100:
            return y
    return np.where(np.isfinite(y), y, 0.0)


@pytest.mark.parametrize("f", [quietly])
@pytest.mark.filterwarnings("error")
def test_errstate_keeps_warnings_from_becoming_exceptions(f):
    check(f, Call(A), Call(A * 100))


def raising(x):
    with np.errstate(divide="raise"):
        return x / 0


def test_errstate_that_raises_is_refused():
    assert not check(raising, Call(A), may_refuse=True)


def corners(x):
    return np.einsum("i...->...", x), np.einsum(x, [0, 1], [1]), np.einsum("ij->i", x, dtype=complex)


def spaces(x):
    xs, step = np.linspace(0, 1, 5, retstep=True)
    return xs, step, np.linspace(x[0], x[1], 3), np.linspace(x[0, 0], x[1, 1], 3, retstep=True)


def grids(x):
    return np.meshgrid(x, x[0])


def bins(x):
    return np.histogram(x, bins=[-10, 0, 10]), np.histogram(x, 3, density=True)


def padded(x):
    return np.pad(x, 1, constant_values=(1, 2)), np.pad(x, 2, mode="linear_ramp", end_values=5)


def extracted(x):
    return np.extract(x > 2, x), np.extract(x[0] > -4, x[1]), np.extract([True, False, True], [1, 2, 3])


def fewer_dimensions(x):
    a, row = x[0, 0], x[1]
    totals = np.sum(a, axis=0), np.max(a, axis=-1), np.any(a, axis=0), np.argmax(a, 0), np.add.reduce(a)
    made = np.tril(row), np.triu(row, 1), np.meshgrid(row), np.column_stack([a, 2]), np.choose(1, [a, row[1]])
    return totals, made, np.convolve(row, 2), np.convolve(a, row[1])


def second_names(x):
    y = np.zeros(4, x.dtype)
    made = np.amax(x), np.amin(x, axis=1), np.amax(x, 0, keepdims=True), np.amax(x, axis=0, out=y), y
    return made, np.amin(x, initial=-9), np.linalg.tensordot(x, x.T, axes=1)


FUNCTIONS = [second_names, extracted, corners, spaces, grids, bins, padded, fewer_dimensions]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_arguments_beyond_the_staged_form(f):
    check(f, Call(A), Call(INTS))


def texts(x):
    return np.char.upper("a")


def records(x):
    return np.rec.array([(1, 2.0)])


@pytest.mark.parametrize("f", [texts, records])
def test_arrays_that_cannot_be_staged_are_refused_and_no_type_errors_of_the_program(f):
    assert not check(f, Call(A), may_refuse=True)
    import runtime as rt

    with pytest.raises(StagingError, match="make it outside"):
        rt.function(f)(A)


def from_bytes(x):
    return np.frombuffer(b"ab", np.uint8)[0] + x[0, 0]


def test_a_constant_array_may_be_read_only():
    check(from_bytes, Call(A))


@pytest.mark.parametrize("dtype", "?bHleFD")
def test_the_bounds_of_a_histogram_have_the_dtype_of_numpys(dtype):
    assert check(lambda x: np.histogram(x, 3), (np.array([1, 0, 1]).astype(dtype),))
