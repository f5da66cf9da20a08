"""`min` and `max` of an int and a NumPy integer that need not hold it: what is chosen comes out as it is."""

import numpy as np
import pytest

from tests.differential import check

DTYPES = ["uint8", "uint64", "int8", "int32"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_ints_that_do_not_fit(dtype: str) -> None:
    def least(n, y):
        return min(n, y), min(y, n), min([n, y, 3])

    def greatest(n, y):
        return max(n, y), max(y, n), max(y, 3, n), max(-1, y), max(y, 2**40)

    scalar = np.dtype(dtype).type
    for f in (least, greatest):
        check(f, *[(n, scalar(1)) for n in (-1, 0, 300, 2**40)], (-1, scalar(100)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_best_of_a_loop(dtype: str) -> None:
    def clipped(n, y):
        best = 0
        for v in y:
            best = max(best, v)
        return best, min(max(n, y[1]), 100)

    check(clipped, *[(n, np.array([2, 3, 4], dtype)) for n in (1, -1, 300)])
