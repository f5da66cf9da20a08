"""Programs that assign items of arrays, lists and dicts."""

import numpy as np

from tests.runtime.jax.programs.program import LONG, MATRIX, VECTOR, program


@program(VECTOR, LONG, grad=True)
def cumulative(xs):
    for i in range(1, len(xs)):
        xs[i] += xs[i - 1]
    return xs


@program(VECTOR, LONG, grad=True)
def clipped_in_place(xs):
    for i in range(len(xs)):
        if xs[i] < 0:
            xs[i] = -2 * xs[i]
    return xs


@program((VECTOR, 3), (LONG, 0), grad=True)
def written_at_staged_index(xs, k):
    xs[k] = xs[k] * xs[k] + 1
    xs[k] *= 3
    return xs


@program(LONG, grad=True)
def slices_written(xs):
    xs[1:4] = 0.5 * xs[2:5]
    xs[-3:] += 1
    if xs[0] < 0:
        xs[0] = 7.0
    return xs


@program(VECTOR, LONG)
def bubble_sort(xs):
    for i in range(len(xs)):
        for j in range(len(xs) - 1):
            if xs[j] > xs[j + 1]:
                t = xs[j]
                xs[j] = xs[j + 1]
                xs[j + 1] = t
    return xs


@program(LONG, grad=True)
def list_items(xs):
    totals = [0.0, 0.0]
    for x in xs:
        if x > 0:
            totals[1] += x * x
        else:
            totals[0] = totals[0] - x
    return totals[0] * totals[1]


@program(LONG, grad=True)
def dict_items(xs):
    totals = {"low": 0.0, "high": 0.0}
    for x in xs:
        if x > 0:
            totals["high"] += x * x
        else:
            totals["low"] += x
    return totals["low"] * totals["high"]


@program(LONG, grad=True)
def masks_written(xs):
    xs[xs < 0] = 0.0
    xs[xs > 2] *= 2
    total = xs.sum()
    xs[xs != 0] /= total
    return xs


@program(MATRIX, grad=True)
def masks_of_rows_written(m):
    m[m[:, 0] < 0] += 1
    m[m > 1.5] = -1.0
    return m


@program(np.arange(8, dtype=np.int32))
def floats_stored_in_ints(a):
    a[0] = 2.7
    a[1] += 1.5
    a[2:4] = -3.9
    a[a > 5] = 6.5
    return a


@program((MATRIX, 1, 2), (MATRIX, 0, 3))
def rows_and_columns_at_staged_places(m, i, j):
    m[i, j] += 1
    m[i] = m[i] * 2
    m[:, j] -= 1
    if m[i, j] > 0:
        m[i, j] = 0.0
    return m
