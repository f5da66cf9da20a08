"""Section "logic": and, or, not, comparison, membership."""

import numpy as np

from tests.features.registry import floats, ints, row

UP, DOWN, FLAT = floats(1, 2, 5), floats(-4, 0.5, -1), floats(0, 0, 0)


@row("and or not", UP, DOWN, FLAT)
def and_or_not(x):
    if x[0] > 0 and not x[1] > 3 or x[2] == 0:
        return x + 1
    return x - 1


@row(
    "or returns operand",
    (np.float64(0), np.float64(7)),
    (np.float64(3), np.float64(7)),
    (np.float64(0), np.float64(0)),
)
def or_returns_operand(x, y):
    first = x or y
    both = x and y
    return first, both


@row("short circuit guards division", (ints(8), ints(2)), (ints(8), ints(0)), (ints(1), ints(2)))
def short_circuit(a, b):
    n, d = int(a[0]), int(b[0])
    if d != 0 and n // d > 2:
        return n // d
    return 0


@row("chained comparison", np.float64(-1), np.float64(0.5), np.float64(3))
def chained(x):
    if 0 <= x < 1:
        return x
    return x * 0


@row("chained comparison call", UP, DOWN)
def chained_call(x):
    def middle(v):
        print("middle evaluated")
        return v.sum()

    return 1.0 if -5 < middle(x) <= 4 else 2.0


@row("in tuple", np.int64(2), np.int64(4), np.int64(5))
def in_tuple(n):
    if n in (2, 3, 5):
        return n * 10
    return n


@row("not in list", np.int64(2), np.int64(4))
def not_in_list(n):
    known = [1, 2]
    if n not in known:
        return -n
    return n


@row("in array", (UP, np.float64(2)), (UP, np.float64(3)))
def in_array(x, v):
    if v in x:
        return v + 1
    return v - 1


@row("any all reduction in if", UP, DOWN, FLAT)
def any_all_reduction(x):
    if (x > 0).all():
        return x
    if (x > 0).any():
        return x * 2
    return x - 1
