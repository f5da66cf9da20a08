"""A loop over a range that a `break` may end: machine code keeps both of its ends."""

import numpy as np
import pytest

from tests.differential import check


def by_the_larger(n):
    c = 0
    for i in range(n):
        c += 1
        if max(n, i) > 3:
            break
    return c


def by_the_larger_within_a_remainder(n):
    c = 0
    for i in range(n % 5):
        c += 1
        if 3 < max(n, i):
            break
    return c


def by_the_smaller(n):
    c = 0
    for i in range(abs(n)):
        c += 1
        if min(n, -i) < -3:
            break
    return c


@pytest.mark.parametrize("program", [by_the_larger, by_the_larger_within_a_remainder, by_the_smaller])
def test_the_bound_holds(program):
    assert check(program, *((n,) for n in (3, -1, 7, 2, -2, 9, 0, 4)))
    assert check(program, *((np.int64(n),) for n in (3, -1, 7, 2)))
