"""defaultdict, Counter and OrderedDict under conditions and in loops."""

import collections
import functools
import itertools
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Refused, check
from tests.modules import module_of
from tests.programs import Programs

PROGRAMS = Programs()
NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


@PROGRAMS.of(*NUMBERS)
def groups(x):
    n = int(x[0])
    by_parity = defaultdict(list)
    for i in range(n):
        by_parity[i % 2].append(float(i))
    largest = 0.0
    for key, values in sorted(by_parity.items()):
        largest = max(largest, key + sum(values))
    return by_parity, largest, by_parity.get(9), 9 in by_parity, len(by_parity)


def seven():
    return 7


@PROGRAMS.of(*NUMBERS)
def returned_with_its_factory(x):
    n = int(x[0])
    made = defaultdict(seven)
    for i in range(n):
        made[str(i)] -= i
    return made


@PROGRAMS.of(*NUMBERS)
def counters(x):
    n = int(x[0])
    a, b = Counter([i % 3 for i in range(n)]), Counter()
    for i in range(n):
        b[i % 2] += 2
    results = a == b, sum(a.values()), dict(a), a.copy()
    a.update([1, 1])
    a.subtract({1: 1})
    a.update(z=n)
    del a[77]
    return results, a, a[99], len(a)


class Cache:
    def __init__(self, room):
        self.room = room
        self.held = OrderedDict()
        self.hits = 0

    def get(self, key):
        if key in self.held:
            self.held.move_to_end(key)
            self.hits += 1
            return self.held[key]
        if len(self.held) >= self.room:
            self.held.popitem(last=False)
        self.held[key] = key * key
        return self.held[key]


@PROGRAMS.of(*NUMBERS)
def least_recently_used(x):
    n = int(x[0])
    cache, total = Cache(2), 0
    for i in range(n):
        total += cache.get(i * i % 3)
    return total, cache.hits, list(cache.held.items())


@PROGRAMS.of(*NUMBERS)
def dicts_of_pairs(x):
    n = int(x[0])
    keys = [str(i) for i in range(n)]
    squares = dict((i, i * i) for i in range(n))
    table = dict(zip(keys, range(n), strict=False), last=n)
    counts, queue = Counter(i % 2 for i in range(n)), deque((i for i in range(n)), 2)
    ordered = OrderedDict((key, len(key)) for key in keys)
    return (
        table,
        squares,
        dict(enumerate(keys)),
        dict([(1, n)]),
        dict(squares.items()),
        counts,
        queue,
        ordered,
    )


test_program = PROGRAMS.test()


class Missing(dict):
    def __missing__(self, key):
        return 42


def missing(x):
    table, total = Missing({0: 1}), 0
    for i in range(int(x[0])):
        total += table[i]
    return total


def user_dict(x):
    table = UserDict()
    if x[0] > 2:
        table["a"] = 3
    return dict(table)


def user_list(x):
    items = UserList([1])
    if x[0] > 2:
        items.append(3)
    return list(items)


def user_list_in_place(x):
    items = UserList([1])
    if x[0] > 2:
        items += [3]
    return list(items)


def chain_map(x):
    table = ChainMap({}, {"a": 1})
    if x[0] > 2:
        table["a"] = 3
    return dict(table)


def factory_made_inside(x):
    table = defaultdict(lambda: 7)
    table[int(x[0])] += 1
    return table


@pytest.mark.parametrize(
    "function", [missing, user_dict, user_list, user_list_in_place, chain_map, factory_made_inside]
)
def test_refused(function):
    with pytest.raises(Refused):
        check(function, *NUMBERS)


OPERATORS = "counts + counts; counts - counts; counts | counts; counts & counts; -counts; table | counts"


def grown(expression: str) -> str:
    return f"""
import collections

def f(n):
    counts, table = collections.Counter(), {{}}
    ordered, lists = collections.OrderedDict(), collections.defaultdict(list)
    for i in range(n):
        counts[i % 2] += 1
        table[i] = ordered[i] = i
        lists[i].append(i)
    return {expression}
"""


@pytest.mark.parametrize("expression", OPERATORS.split("; "))
def test_operators_of_counters_are_refused(expression: str) -> None:
    f = rt.function(module_of(grown(expression))["f"])
    with pytest.raises(StagingError, match=r"of a Counter is not staged\n(.*\n)*hint: write what"):
        f(np.int64(3))


def test_a_deque_is_reduced():
    def f(n):
        kept = collections.deque(maxlen=3)
        for i in range(n):
            kept.append(i)
        return functools.reduce(lambda a, b: 10 * a + b, kept), list(itertools.accumulate(kept))

    assert check(f, (1,), (3,), (5,))
