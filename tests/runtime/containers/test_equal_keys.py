"""Keys that are equal and not the same: a dict keeps the one that its own path put in."""

from __future__ import annotations

import enum
from collections import namedtuple

import numpy as np
import pytest

from tests.differential import check

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


class Level(enum.IntEnum):
    ONE = 1


Row = namedtuple("Row", "a b")
PAIRS = [
    (True, 1),
    (1, 1.0),
    (Level.ONE, 1),
    (np.int64(1), 1),
    (0.0, -0.0),
    ((1, 2), (True, 2)),
    (Row(1, 2), (1, 2)),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_each_path_has_its_own_key(one, other):
    def stored(x):
        d = {}
        if x[0] > 0:
            d[one] = "a"
        else:
            d[other] = "b"
        return d

    def made(x):
        d = {one: 1.5} if x[0] > 0 else {other: 2.5}
        return d, list(d), d[one]

    def emptied(x):
        d = {one: 0}
        for v in x:
            if v > 0:
                d.clear()
                d[other] = v
        return d

    def members(x):
        s = {one}
        if x[0] > 0:
            s.discard(one)
            s.add(other)
        return s

    for f in (stored, made, emptied, members):
        check(f, (UP,), (DOWN,))


def test_a_key_that_is_there_stays():
    def f(x):
        d = {1: "a", "b": 2}
        if x[0] > 0:
            d[True] = "c"
        return d

    check(f, (UP,), (DOWN,))
