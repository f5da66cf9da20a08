"""Arrays of different dtypes that meet in a variable: a write goes into the one that was chosen."""

from collections import deque

import numpy as np
import pytest

from tests.differential import Call, check

INTS = np.arange(3)
FLOATS = np.arange(3.0) * 5


def write_chosen(x, y):
    if x.sum() > 3:
        p = x
    else:
        p = y
    p[0] = 7
    return p


def both_of_two(x, y):
    p, q = (x, y) if x.sum() > 3 else (y, x)
    p[0] = q[1]
    return p


def in_a_loop(x, y):
    p = x
    while p.sum() > 3:
        p = y
        y -= 1
    p[0] = 99
    return p


PROGRAMS = [write_chosen, both_of_two, in_a_loop]


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_is_written_is_the_array_of_the_path(f):
    check(f, Call(INTS, FLOATS), Call(INTS * 3, FLOATS * 0), Call(INTS + 4, FLOATS + 1))
    check(f, Call(INTS.astype("u1"), INTS.astype("i1")), Call((INTS * 3).astype("u1"), INTS.astype("i1")))


def grows_to_floats(x, y):
    total = np.zeros(3, int)
    for row in np.outer(x, y):
        total = total + row
        total[0] += 1
    return total


def test_an_array_that_nobody_else_has_is_promoted():
    """Of no rows it has the dtype that it would have."""
    check(grows_to_floats, Call(np.arange(40), FLOATS), Call(np.arange(50), FLOATS))


def vector_or_matrix(x, y):
    p = x if x.sum() > 3 else np.outer(x, x)
    q = p
    p += 1
    p *= y
    return p, q


def matrix_of_an_argument(x, m):
    p = m if x.sum() > 3 else x
    p -= 1
    p[0] = 5


def test_in_place_operators_write_the_array_that_was_chosen():
    check(vector_or_matrix, Call(FLOATS, FLOATS), Call(FLOATS * 0, FLOATS))
    check(matrix_of_an_argument, Call(FLOATS, np.eye(3)), Call(FLOATS * 0, np.eye(3)))


def of_either_item_or_neither(x, y):
    """No path makes a float, though for all that a trace knows, `table["n"]` may be read. (Seed 11042124.)"""
    table = {"i": 0, "n": y}
    for _ in list(deque([y]))[:6]:
        return np.arange(3) - table["i"], table
    return x, table


def test_an_array_that_meets_two_that_are_kept_apart_is_not_promoted():
    check(of_either_item_or_neither, Call(INTS, FLOATS))
