"""`**` of NumPy's scalars beside Python's numbers and other scalars: the loop, and the dtype, is NumPy's."""

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
