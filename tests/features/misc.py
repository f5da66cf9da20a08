"""Section "misc"."""

import numpy as np

from tests.features.registry import floats, ints, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("pass ellipsis docstring", X, Y)
def pass_ellipsis(x):
    """Does little."""
    if x[0] > 0:
        pass
    else:
        ...
    for v in x:
        pass
    return x


@row("comparison operators on tensors", X, Y)
def comparisons(x):
    y = x[::-1]
    results = (x == y), (x != y), (x < y), (x <= y), (x > y), (x >= y)
    if (x[0] == y[0]) != (x[1] >= y[1]):
        return results
    return results[::-1]


@row("bitwise on bools", X, Y)
def bitwise_on_bools(x):
    mask = (x > 0) & ~(x > 3) | (x < -1)
    if mask[0] ^ mask[1]:
        return mask
    return ~mask


@row("integer ops", ints(13, 3), ints(-13, 3), ints(13, 1))
def integer_ops(x):
    a, b = x[0], x[1]
    if a & 1:
        a = (a << b) | 1
    return a // b, a % b, a >> 1, a ^ b, ~a, -a, abs(a)


@row(
    "matmul operator in loop",
    (floats(1, 2, 3, 4).reshape(2, 2), np.int64(3)),
    (floats(0, 1, 1, 0).reshape(2, 2), np.int64(0)),
)
def matmul_in_loop(m, n):
    product = np.eye(2)
    while n > 0:
        product = product @ m
        n = n - 1
    return product


@row(
    "slices with steps and none",
    (ints(1, 2, 3, 4, 5, 6), np.int64(1)),
    (ints(1, 2, 3, 4, 5, 6), np.int64(-1)),
)
def slices_with_steps(x, k):
    if k > 0:
        return x[::2], x[k:None], x[None, 1:3]
    return x[::-2], x[None:k], x[1:4, np.newaxis].T


@row("nested conditional imports and locals", X, Y)
def conditional_imports(x):
    if x[0] > 0:
        import math as m

        y = x * m.floor(2.5)
    else:
        from math import ceil

        y = x * ceil(2.5)
    return y


@row("mixed static and staged nesting", (X, 2, True), (X, 2, False), (Y, 3, True), (Y, 3, False))
def mixed_nesting(x, n, flag):
    for i in range(n):
        if flag:
            if x[i] > 0:
                x = x + i
            elif i == 1:
                x = x * 2
        else:
            while x[0] < 10:
                x = x + 5
    return x
