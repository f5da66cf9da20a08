"""`min` and `max` ask for the key of an item before they look at the next, which the key may have changed."""

from __future__ import annotations

import collections
from typing import NamedTuple

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
case = PROGRAMS.of((np.array([1.0, -2.0, 0.5, 0.0]),), (np.array([-1.0, 2.0, -0.5, 0.0]),))


def raised(v, least):
    for i in range(len(v)):
        if v[i] < least:
            v[i] = least


@case
def of_an_array(x):
    """Random program 15008196."""

    def key(item):
        raised(x, 0.0)
        return abs(item - x[1])

    return max(x, key=key), x


@case
def of_a_list_of_a_run(x):
    kept = []
    for v in x:
        if v != 0:
            kept.append(v)

    def key(item):
        kept[-1] = item * 5
        return item

    return min(kept, key=key), kept


@case
def of_a_list_that_the_trace_knows(x):
    kept = [float(v) for v in x]

    def key(item):
        kept[-1] = item * 5
        return item

    return max(kept, key=key), kept


@case
def but_sorted_takes_all_of_them_first(x):
    def key(item):
        raised(x, 0.0)
        return item

    return sorted(x, key=key), x


class Pair(NamedTuple):
    a: float
    b: float


@case
def a_deque_is_unpacked_with_a_star(x):
    pair = Pair(x[0], 2.0) if x[0] > 0 else collections.deque([x[0], x[1], x[2]])
    first, *rest = pair
    return first, len(rest), rest[0]


@case
def what_is_no_mapping_is_none_on_one_path(x):
    given = None if x[0] > 0 else {"a": x[0]}
    try:
        return {**given}
    except TypeError as error:
        return {"a": 0.0, "error": str(error)}


@case
def what_is_not_iterable_is_none_on_one_path(x):
    given = None if x[0] > 0 else [x[0]]
    try:
        return [*given, 1.0], ""
    except TypeError as error:
        return [], str(error)


test_program = PROGRAMS.test()
