"""`sum`, `min` and `max` of lists that a run knows, and numbers that are looked for in them."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
NAN, INF = float("nan"), float("inf")


@PROGRAMS.of(
    ([0.1, 0.2, -0.3, 1e300, 7.5] * 10,), ([NAN, 1.0, -0.0, 0.0] * 10,), ([-0.0, 0.0] * 20,),
    ([1.0, NAN] * 20,), ([INF, -INF, 1.0] * 12,), ([3, -7, 2**40, 0] * 10,), ([True, False] * 20,),
    ([1, 2.5, -3] * 12,), ([2**62, -(2**62)] * 20,),
)  # fmt: skip
def of_all(xs):
    return sum(xs) + 1, min(xs) - 1, max(xs), sum(xs, len(xs) + 5), sum(xs[1:3], 2.5)


@PROGRAMS.of(([0.5, -1.5] * 20, 3), ([0.5, -1.5] * 20, 0), ([5, -15] * 20, 0), ([5, -15] * 20, 7))
def of_few(xs, n):
    some = []
    for k in range(n):
        some.append(xs[k])
    total = sum(some)
    return total, type(total), min(some, default=None), max(some, default=-1), some


@PROGRAMS.of(([0.5, -1.5] * 20, 0), ([5, 7] * 20, 0), ([5, 7] * 20, 2))
def of_none(xs, n):
    return min(xs[:n])


@PROGRAMS.of((np.arange(50.0), 10), (np.arange(50.0)[::-1], 0))
def of_rows(x, n):
    rows = []
    for k in range(n):
        rows.append([x[k], x[k + 1], 2.0])
    return [max(row) for row in rows], [min(row) for row in rows], [sum(row) for row in rows]


@PROGRAMS.of(
    ([0.5, -1.5, 0.0] * 14, 0.5), ([0.5, -1.5] * 20, 7.0), ([1.0, 2, 3.0, 2] * 10, 2.0), ([1, 2, 3] * 12, 3),
    ([1, 2, 2.5, True] * 10, 1), ([1, 2**40] * 20, 2**40), ([-0.0, 1.0] * 20, 0.0), ([1, 2] * 20, 9),
)  # fmt: skip
def looked_for(xs, x):
    """Zero and minus zero are equal, and so are numbers of two types."""
    there = [x in xs, x + 1 in xs, x not in xs, xs.count(x), xs.count(x + 1)]
    return there, x in xs[1:2], xs.index(x)


test_program = PROGRAMS.test()
