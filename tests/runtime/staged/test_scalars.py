"""NumPy's scalars beside Python's numbers and what a run chooses: the loop, and the dtype, is NumPy's."""

import numpy as np
import pytest

from tests.differential import Call, check


def powers(x, y):
    return x**y, y**x, pow(x, y)


def of_a_constant(x):
    return x**0.5, x**3, 2**x, 2.0**x, x**-1.0, x**1.5 * 2


FLOATS = [np.float32(4), np.float16(4), np.float64(4)]

OTHERS = [0.5, 2, True, *FLOATS, np.int8(2), np.uint8(2), np.int16(2), np.int64(2), np.uint64(2), np.True_]


@pytest.mark.parametrize("x", FLOATS, ids=lambda x: x.dtype.name)
def test_floats(x):
    check(of_a_constant, Call(x))
    for y in OTHERS:
        check(powers, Call(x, y))


@pytest.mark.parametrize("x", [np.int8(4), np.uint8(4), np.int16(4)], ids=lambda x: x.dtype.name)
def test_integers_beside_floats(x):
    for y in (0.5, np.float32(2), np.float16(2), np.float64(2)):
        check(powers, Call(x, y))


DTYPES = ["uint8", "uint64", "int8", "int32"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_ints_that_do_not_fit(dtype):
    def least(n, y):
        return min(n, y), min(y, n), min([n, y, 3])

    def greatest(n, y):
        return max(n, y), max(y, n), max(y, 3, n), max(-1, y), max(y, 2**40)

    scalar = np.dtype(dtype).type
    for f in (least, greatest):
        check(f, *[(n, scalar(1)) for n in (-1, 0, 300, 2**40)], (-1, scalar(100)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_best_of_a_loop(dtype):
    def clipped(n, y):
        best = 0
        for v in y:
            best = max(best, v)
        return best, min(max(n, y[1]), 100)

    check(clipped, *[(n, np.array([2, 3, 4], dtype)) for n in (1, -1, 300)])
