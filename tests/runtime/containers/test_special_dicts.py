"""defaultdict, Counter and OrderedDict under conditions and in loops."""

from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict

import numpy as np
import pytest

from tests.differential import Refused, check
from tests.programs import Programs

PROGRAMS = Programs()
NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


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


@PROGRAMS.of(*NUMBERS)
def operators_of_counters(x):
    a, b = Counter(), Counter()
    for i in range(int(x[0])):
        a[i % 2] += 1
        b[i % 3] += 2
    results = a + b, a - b, a | b, a & b, +a, -a, a <= b, a > b, a.total()
    a += b
    return results, a, sorted(a.elements())


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
