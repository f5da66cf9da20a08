"""Calls on lists of a length that only a run knows: bisect, slices, cached functions."""

import bisect
import functools

import numpy as np
import pytest

from tests.differential import Refused, check
from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

SIZES = [(np.array([n]),) for n in (3, 0, 5)]


@of(*SIZES)
def bisected(x):
    n = int(x[0])
    items = [1, 3, 5, 7]
    bisect.insort(items, n)
    bisect.insort_right(items, 4, 1)
    bisect.insort_left(items, 6, lo=1, hi=len(items))
    return items, bisect.bisect(items, n, hi=2), bisect.bisect_left(items, n, lo=1, hi=3)


@of(*SIZES)
def slices_stored(x):
    n = int(x[0])
    a, b = list(range(8)), list(range(8))
    a[1:n] = range(n)
    b[:2] = [k * 2 for k in range(n)]
    return a, b, sum([[k] * k for k in range(n)], []), sum([[n], [1]], [])


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def through_another(n):
    return paths(n)


@functools.cache
def paths(n):
    return 1 if n <= 0 else through_another(n - 1) + through_another(n - 2)


@of((np.array([60]),), (np.array([5]),))
def recursion_with_a_cache(x):
    return fib(int(x[0])), paths(int(x[0]))


@of(*SIZES)
def a_cache_made_inside(x):
    n = int(x[0])

    @functools.cache
    def grid(i, j):
        if i < 0 or j < 0:
            return 0
        if i == 0 and j == 0:
            return 1
        return grid(i - 1, j) + grid(i, j - 1)

    total = 0
    for k in range(n):
        total += grid(k, 2)
    return grid(n, n), total


@functools.cache
def fails(n):
    if n == 0:
        raise ValueError("zero")
    return fails(n - 1)


@functools.cache
def shown(n):
    print(n)
    return n if n < 1 else shown(n - 1) + 1


def test_a_cached_recursion_that_prints_is_refused():
    with pytest.raises(Refused, match="has a cache"):
        check(lambda x: shown(int(x[0])), *SIZES)


test_program = PROGRAMS.test()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: list(map(np.asarray, [x, 3, (1.0, 2.0)])),
        lambda x: list(map(functools.partial(np.array, dtype=float), [x, 3])),
        lambda x: [row * x[0] for row in map(np.arange, (2, 3))],
        lambda x: [*map(np.atleast_1d, (x, 2))],
    ],
)
def test_a_function_of_numpy_that_is_mapped(f):
    """`np.array` asks no protocol: Python's own `map` would have it ask a staged array for its contents."""
    check(f, (np.array([1.0, 2.0]),), (np.array([3.0, 4.0]),))
