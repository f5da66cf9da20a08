"""Lists of lists of numbers are data from their first length: one trace for all sizes."""

import numpy as np
import pytest

from tests.differential import CallOf, check


def product(a, b):
    out = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i][j] += a[i][k] * b[k][j]
    return out


def unpacks(a, b):
    (p, q, *_), *_rest = a
    return p * q, len(_rest)


def as_arrays(a, b):
    return np.array(a) @ np.array(b), np.sum(a), np.zeros((len(a), len(a[0])))


def neighbours(a, b):
    seen, todo = [False] * len(a), [0]
    while todo:
        at = todo.pop()
        if not seen[at]:
            seen[at] = True
            for other in a[at]:
                todo.append(int(other) % len(a))
    return seen


PROGRAMS = [
    product, unpacks, as_arrays, neighbours
]  # fmt: skip


def table(n, kind=float):
    return [[kind(i * j % 7) for j in range(n)] for i in range(n)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_means_the_same(program):
    def same():
        row = [1.0, 2.0]
        return ([row, row],) * 2

    calls = [lambda n=n: (table(n), table(n)) for n in (2, 3, 5)]
    check(
        program,
        *map(CallOf, [*calls, same, lambda: (table(2, int), table(2)), lambda: ([[1.5, 2]] * 2,) * 2]),
    )
