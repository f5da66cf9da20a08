"""Arrays in the other byte order, as files and networks have them, mean what they mean in NumPy."""

import numpy as np
import pytest

from tests.differential import Call, CallOf, check

ARRAYS = [
    np.array([3.0, -1.0, 2.0, 5.0], ">f8"),
    np.arange(6).reshape(2, 3).astype(">i4"),
    np.array([1 + 2j, 3], ">c16"),
    np.array([1, 2, 300], ">u2"),
    np.arange(8.0).astype(">f4")[::-2],
]


def reads(x):
    return x[0], x + 1, x * x, x.sum(), x.copy(), x[1:], x.T, np.zeros_like(x), x.dtype.str, -x, np.sort(x)


def writes(x):
    x[0] = x[1] * 2
    x += 1
    x[x == x[0]] = 7
    flat = x.reshape(-1)
    flat[-1] = 5
    np.add(x, 1, out=x)
    return x


def loops(x):
    total = x.ravel()[0] * 0
    for value in x.ravel():
        if value != 0:
            total = total + value
    while abs(total) < 20:
        total = total + 1
    return total


@pytest.mark.parametrize("function", [reads, writes, loops])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: a.dtype.str)
def test_as_numpy_has_it(function, array):
    check(function, CallOf(lambda: (array.copy(),)))


def with_the_native_order(x, y):
    return x + y, np.where(x > y, x, y), np.concatenate([x, y]), x @ y, np.maximum(x, y), x.argmax(), x.mean()


def test_beside_arrays_in_the_native_order():
    swapped, native = ARRAYS[0], np.array([1.0, 2.0, 3.0, 4.0])
    check(with_the_native_order, Call(swapped, native), Call(native, swapped), Call(swapped, swapped))
