"""Rows of numbers and texts in lists: what is put in comes out as it was."""

from typing import NamedTuple

import numpy as np
import pytest

import runtime
from tests.differential import ENGINES
from tests.programs import Programs

PROGRAMS = Programs()


class Point(NamedTuple):
    x: float
    y: float


@PROGRAMS.of((np.array([3.0, -1.0, 2.0]),), (np.array([]),))
def rows_of_several_classes(x):
    rows = []
    for i, v in enumerate(x):
        if v > 0:
            rows.append((i, v, float(v), v > 1, f"{v:.1f}", int(v)))
    total = 0.0
    while rows:
        i, v, f, large, text, n = rows.pop()
        total += i + v + f + large + n
        print(text)
    return total


@PROGRAMS.of((np.array([2, 3, 40]),), (np.array([62, 61]),))
def large_ints(exponents):
    rows = [(0, 0)]
    for e in exponents:
        rows.append((int(e), 2 ** int(e)))
    return max(b for a, b in rows)


@PROGRAMS.of((np.array([1.0, -2.0, 3.0]),))
def named_rows_and_nested_ones(x):
    points, nested = [], []
    for v in x:
        if v > 0:
            points.append(Point(v, -v))
            nested.append(((v, 1), v))
    while len(points) > 1:
        p = points.pop()
        (a, b), c = nested.pop(0)
        print(p.x, p.y, a, b, c)
    return points, nested


@PROGRAMS.of((np.array([1, 2, 3]),), (np.array([], dtype=int),))
def the_same_row_twice(x):
    rows = []
    for v in x:
        row = (v, v + 1)
        rows.append(row)
        rows.append(row)
    return [a is b for a, b in zip(rows[::2], rows[1::2])], rows


@PROGRAMS.of((5, [(1, 2.0), (3, 4.5)]), (2, [(1, True), (2, 3.0)]))
def rows_from_outside(n, rows):
    total = 0
    for _ in range(n):
        if rows and rows[-1][0] < n:
            a, b = rows.pop()
            total += a * b
    return total, rows


test_program = PROGRAMS.test()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_int_in_a_row_that_is_beyond_64_bits(engine):
    function = runtime.function(rows_from_outside, engine=engine)
    assert function(2, [(1, 2.0)]) == (2.0, [])
    with pytest.raises(OverflowError, match="64 bits"):
        function(2, [(-(2**70), 1.0)])
