"""A Python number that does not fit the dtype beside it raises OverflowError on both engines, as in NumPy."""

import numpy as np
import pytest

from tests.differential import Call, check

FITTING, TOO_GREAT, NEGATIVE = 200, 300, -1


def chosen_by_where_among_scalars(x, n):
    return np.where(x[0] > 0, n, x[1])


def stored_in_a_list(x, n):
    x[:] = [n, x[0], 3]
    return x


PROGRAMS = [chosen_by_where_among_scalars, stored_in_a_list]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_in_numpy(f):
    x = np.array([1, 2, 3], np.uint8)
    check(f, *[Call(x, n) for n in (FITTING, TOO_GREAT, 7, NEGATIVE, 2**40, 8)])


def test_what_a_list_stores_is_converted_item_by_item():
    def f(x, n):
        x[:] = [n, 2.7, x[0]]
        flags = np.zeros(3, bool)
        flags[:] = [n, 0, x[1]]
        small = np.zeros(2, np.float32)
        small[:] = n, 2**60
        return x, flags, small

    for dtype in (np.int8, np.int64, np.float32, np.uint16):
        check(f, Call(np.array([1, 2, 3], dtype), 5), Call(np.array([1, 2, 3], dtype), np.float64(2.5)))


def makes_integers_of_a_float(x, y):
    small, wide = np.uint8(y), np.int64(y)
    total = 0
    for k in range(3):
        total += np.int16(y * k)
    return small, wide, total, np.uint64(y), x.dtype.type(y)


def test_a_python_float_becomes_an_integer_as_an_int_does():
    x = np.array([1], np.uint32)
    wrong = (-0.5, -1.0, -2.5, 256.0, 300.7, 2.0**63, 1e19, 1e30, np.inf, -np.inf, np.nan)
    assert check(makes_integers_of_a_float, *[Call(x, y) for y in (2.0, 255.9, -0.9, *wrong)])
    assert check(makes_integers_of_a_float, *[Call(x, np.float64(y)) for y in (2.0, *wrong)])
    assert check(lambda y: (np.int64(y), np.uint64(y)), *[Call(y) for y in (-(2.0**63), -0.5, 2.0**62, 1e18)])
