"""Section "array-write": writes mean what NumPy means by them."""

import numpy as np

from tests.features.registry import floats, ints, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


def clip_in_place(v):
    for i in range(len(v)):
        if v[i] < 0:
            v[i] = 0


@row("augassign alias", X, Y)
def augassign_alias(x):
    a = x * 1
    b = a
    if x[0] > 0:
        a += 10
    else:
        a *= 2
    return a, b


@row("argument written in place", X, Y)
def argument_in_place(x):
    if x[0] > 0:
        x[1] = 50
    else:
        x -= 1
    return x.sum()


@row("setitem static index", X, Y)
def setitem_static(x):
    y = x.copy()
    if x[0] > 0:
        y[0] = x[1]
        y[-1] = 0
    return y


@row("setitem loop index", X, Y)
def setitem_loop(x):
    y = np.zeros(3)
    for i in range(3):
        if x[i] > 0:
            y[i] = x[i] ** 2
    return y


@row("augassign item", X, Y)
def augassign_item(x):
    y = np.ones(3)
    for i in range(3):
        y[i] += x[i] if x[i] > 0 else 100
        y[0] *= 2
    return y


@row("setitem 2d", (X, np.int64(2)), (Y, np.int64(0)))
def setitem_2d(x, k):
    grid = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            if i != j:
                grid[i, j] = x[i] * j
    grid[k] = x
    grid[:, 1] += 1
    return grid


@row("setitem boolean mask", X, Y)
def setitem_mask(x):
    y = x.copy()
    y[y < 0] = 0
    y[x > 2] *= 10
    return y


@row("bubble sort swaps", X, Y, floats(3, 2, 1))
def bubble_sort(x):
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


@row("callee mutates array", X, Y)
def callee_mutates(x):
    y = x * 2
    clip_in_place(y)
    return y


@row("write through view", ints(1, 2, 3, 4, 5, 6).reshape(2, 3), ints(-1, 2, 3, 4, 5, 6).reshape(2, 3))
def write_through_view(grid):
    column = grid.T[1]
    if grid[0, 0] > 0:
        column[0] = 100
    else:
        column += 1
    return grid.sum(), column
