"""Section "promotion": loop state whose type changes."""

import numpy as np

from tests.features.registry import floats, row

TABLE = floats(1, 2, 3, 4, 5, 6).reshape(3, 2)


@row("int accumulator becomes float", floats(1, 2.5), floats(-1, 4))
def int_accumulator(x):
    total = 0
    for v in x:
        if v > 0:
            total = total + v
    return total


@row("int divided in loop", np.int64(3), np.int64(1), np.int64(0))
def int_divided(n):
    value = 100
    i = 0
    while i < n:
        value = value / 4
        i += 1
    return value


@row("scalar becomes vector in loop", (floats(1, 2), np.int64(3)), (floats(3, 4), np.int64(1)))
def scalar_becomes_vector(x, n):
    total = np.float64(0.5)
    i = 0
    while i < n or i == 0:
        total = total + x
        i += 1
    return total


@row("rows summed from scalar zero", TABLE, -TABLE)
def rows_summed(table):
    total = 0
    for r in table:
        if r[0] != 3:
            total = total + r
    return total


@row("shape grows in loop", (floats(1, 2), np.int64(3)), (floats(5), np.int64(0)))
def shape_grows(x, n):
    i = 0
    while i < n:
        x = np.concatenate([x, x[-1:] * 2])
        i += 1
    return x
