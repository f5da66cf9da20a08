"""Section "tuple": tuples and namedtuples as loop state."""

import collections

import numpy as np

from tests.features.registry import floats, row

Point = collections.namedtuple("Point", "x y")


@row("fibonacci tuple swap", np.int64(10), np.int64(0), np.int64(1))
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@row("namedtuple state", floats(1, 5, 2), floats(-1, -5, 2))
def namedtuple_state(x):
    best = Point(x[0], 0.0)
    for v in x:
        if v > best.x:
            best = Point(v, best.x)
    return best


@row("namedtuple replace", floats(1, 5, 2), floats(-1, -5, 2))
def namedtuple_replace(x):
    p = Point(x[0], x[1])
    if x[2] > x[0]:
        p = p._replace(y=p.y * 2)
    return p
