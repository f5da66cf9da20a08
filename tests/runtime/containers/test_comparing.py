"""Comparisons of tuples, lists, dicts and dataclasses of known length that hold staged values."""

import collections
import dataclasses

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
CALLS = (
    (np.float64(0.7), np.int64(2)),
    (np.float64(-0.7), np.int64(3)),
    (0.7, 2),
    (0.2, 1),
    (0.7, 3),
    (0.9, 2),
)
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass(order=True)
class Card:
    rank: float
    suit: int


@PROGRAMS.of(*CALLS)
def tables(t, n):
    return {"a": t} == {"a": 0.7}, {"a": t, "b": [n]} != {"b": [2], "a": 0.7}, {"a": t} == {"b": t}


@PROGRAMS.of(*CALLS)
def membership(t, n):
    pairs = [(0.7, 2), (0.2, 1)]
    return (
        (t, n) in pairs,
        (n, 1) not in [(2, 1), (3, 1)],
        (n, 1) in {(2, 1): 5},
        (n, t).index(t),
        (n, t).count(n),
    )


@PROGRAMS.of(*CALLS)
def places(t, n):
    pairs = [(2, 1), (3, 1), (1, 1), (2, 1)]
    return pairs.index((n, 1)), pairs.count((n, 1))


@PROGRAMS.of((np.array([1.0, 2.0]), 3), (np.array([5.0, 2.0]), 4))
def a_bubble_sort_of_pairs(x, n):
    pairs = [(x[1], n), (x[0], 1), (x[1], 2)]
    for i in range(3):
        for j in range(2 - i):
            if pairs[j] > pairs[j + 1]:
                pairs[j], pairs[j + 1] = pairs[j + 1], pairs[j]
    return pairs


@PROGRAMS.of((np.int64(2),), (2,), (3,), (4,), (np.int8(1),))
def repeated(n):
    return [1, n] * n, n * (1, 2), "ab" * n, n * "-"


@PROGRAMS.of((np.float64(2.0),), (2.0,))
def repeated_by_no_integer(t):
    try:
        return [1, 2] * t
    except TypeError as error:
        return str(error)


@PROGRAMS.of((1.0, 3), (-1.0, 4), (2.5, 5), (2.5, 6))
def methods_of_numbers(t, n):
    return (
        (3 if t > 0 else 4).bit_length(),
        (2.5 if t > 0 else 4.0).is_integer(),
        t.is_integer(),
        (n + 1).bit_count(),
    )


@PROGRAMS.of((np.float64(1.0), np.int64(2)), (0.5, 3))
def copies_of_numbers(t, n):
    card = Card(t, n)
    return dataclasses.asdict(card), dataclasses.astuple(card)


test_comparing = PROGRAMS.test()


def test_long_tuples_are_put_in_no_order():
    with pytest.raises(StagingError, match="tuples of more than 16 items are put in order"):
        rt.function(lambda x: tuple(x) < tuple(range(20)))(np.arange(20.0))
    check(lambda x: list(x) < [*range(20)], (np.arange(20.0),), (np.ones(20),))
