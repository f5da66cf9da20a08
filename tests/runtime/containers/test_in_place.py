"""`+=`, `|=` and their like on lists, dicts and sets, wherever they are kept, in branches and loops."""

import operator
from collections import deque

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


class Holder:
    def __init__(self):
        self.items = []
        self.seen = {1}
        self.table = {}
        self.inner = None

    def add(self, value):
        items = self.items
        items += [value]


@PROGRAMS.of(*NUMBERS)
def attributes(x):
    n = int(x[0])
    held = Holder()
    items = held.items
    if n > 2:
        held.items += [n]
        held.seen |= {2}
        held.table |= {"a": n}
    if n > 4:
        held.seen -= {1}
    return held.items, held.seen, held.table, items is held.items


@PROGRAMS.of(*NUMBERS)
def attributes_in_loops(x):
    n = int(x[0])
    held = Holder()
    held.inner = Holder()
    items = held.items
    for i in range(n):
        held.items += [i]
        held.inner.items += [i, i]
        held.inner.seen |= {i}
        held.add(-i)
    return held.items, items, held.inner.items, held.inner.seen


def extend(items, values):
    items += values


def merge(a, b):
    a |= b


def repeat(items, times):
    items *= times


@PROGRAMS.of(*NUMBERS)
def parameters_of_functions(x):
    n = int(x[0])
    items, table, seen, twice = [1], {1: 1}, {1}, [0]
    if n > 2:
        extend(items, [5])
        merge(table, {5: 4})
        merge(seen, {5})
        repeat(twice, 2)
    for i in range(n):
        extend(items, [i])
        merge(seen, {i})
    return items, table, seen, twice


@PROGRAMS.of(*NUMBERS)
def items_of_containers(x):
    n = int(x[0])
    held = {"s": {1}, "l": [1], "d": {}}
    rows = [[1], [2]]
    if n > 2:
        held["s"] |= {2}
        held["l"] += [n]
        held["d"] |= {1: 2}
        rows[0] += [n]
    for row in rows:
        if n > 4:
            row += [3]
    return held, rows


@PROGRAMS.of(*NUMBERS)
def variables_and_aliases(x):
    n = int(x[0])
    seen = {1, 2, 3}
    other = seen
    queue = deque([1])
    same = queue
    if n > 2:
        seen -= {1}
        queue += [2]
        late = seen
        late |= {7}
    if n > 3:
        seen &= {2, 7}
        queue *= 2
    if n > 4:
        seen ^= {9}
    return seen, other, seen is other, queue, same


@PROGRAMS.of(*NUMBERS)
def in_try(x):
    n = int(x[0])
    seen = {1}
    try:
        seen |= {2}
        1 // n
        seen |= {3}
    except ZeroDivisionError:
        seen |= {4}
    return seen


@PROGRAMS.of(*NUMBERS)
def computed_keys(x):
    n = int(x[0])
    seen, table, i = set(), {}, 0
    while i < n:
        seen |= {i % 2}
        table |= {i: str(i)}
        i += 1
    return seen, table, {n, 7}, {n: 1, "b": n}


test_program = PROGRAMS.test()


def test_a_set_of_the_caller():
    def f(x, seen):
        if x[0] > 2:
            seen |= {2}
        return seen

    check(f, (np.array([3]), {1}), (np.array([0]), {1}))


@pytest.mark.parametrize(
    "change",
    [
        lambda items: operator.setitem(items, 0, 1),
        lambda items: operator.delitem(items, 0),
    ],
)
def test_operators_that_change_are_not_called_as_functions(change):
    def f(x):
        items = [x[0]]
        change(items)
        return items

    with pytest.raises(StagingError, match=r"`operator\.\w+` is not staged(?s:.*)hint: write the statement"):
        rt.function(f)(np.array([3]))
