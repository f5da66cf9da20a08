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
from tests.runtime.containers.values import X, Y

PROGRAMS = Programs()
NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


@PROGRAMS.of(*NUMBERS)
def reading_makes_a_key(x):
    n = int(x[0])
    counts, flags = defaultdict(int, {0: 5}), defaultdict(int)
    total = 0
    for i in range(n):
        total += counts[i]
    if n > 2:
        total += flags["a"]
    return total, len(counts), sorted(flags)


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


@PROGRAMS.of(*NUMBERS)
def factories(x):
    n = int(x[0])
    pairs = defaultdict(lambda: [0, 0])
    nested = defaultdict(lambda: defaultdict(int))
    for i in range(n):
        pairs[i % 2][1] += i
        nested[i % 2][i % 3] += 1
    return dict(pairs), {key: dict(inner) for key, inner in nested.items()}


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
def known_keys_stay_plain(x):
    n = int(x[0])
    made = defaultdict(list)
    made["x"].append(1)
    made["y"].append(n)
    return made, made["x"], sum(map(sum, made.values()))


@PROGRAMS.of((X,), (Y,))
def keyed_by_a_condition(x):
    totals, places = defaultdict(float), defaultdict(list)
    for i, v in enumerate(x):
        totals["pos" if v > 0 else "neg"] += v
        places[v > 0].append(i)
    return dict(totals), totals["pos"] - totals["neg"], len(totals), places


@PROGRAMS.of(("the cat the dog a cat",), ("",), ("x",))
def words(text):
    counts, ordered = Counter(), OrderedDict()
    for word in text.split():
        counts[word] += 1
        ordered[word] = ordered.get(word, 0) + 1
    best = max(counts, key=counts.get) if counts else None
    by_count = sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))
    return counts, ordered, counts.most_common(2), best, by_count


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
def counter_in_branches(x):
    n = int(x[0])
    counts = Counter("abca")
    if n > 2:
        counts["a"] += n
        counts.update("zz")
        counts["q"]
    if n > 4:
        counts.pop("a")
    return counts


@PROGRAMS.of(*NUMBERS)
def order_of_keys(x):
    n = int(x[0])
    ordered = OrderedDict(a=1, b=2)
    if n > 2:
        ordered.move_to_end("a")
    if n > 4:
        ordered.popitem(last=False)
        ordered.setdefault("z", 3)
    return list(ordered), ordered


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


@pytest.mark.parametrize("given", [defaultdict(list), defaultdict(list, a=[1])])
def test_a_new_key_of_the_callers_defaultdict(given):
    def f(x, groups):
        if x[0] > 2:
            groups["b"].append(1)
        return groups

    check(f, (np.array([3]), given), (np.array([0]), given))


def test_the_callers_defaultdict_is_read():
    def f(x, groups):
        total = sum(groups["a"])
        return total + x[0], groups.get("b"), len(groups), "c" in groups

    check(f, *[(np.array([n]), defaultdict(list, a=[n, 1])) for n in (3, 0, 5)])


@pytest.mark.parametrize(
    "function", [missing, user_dict, user_list, user_list_in_place, chain_map, factory_made_inside]
)
def test_refused(function):
    with pytest.raises(Refused):
        check(function, *NUMBERS)


GROWN = {
    "Counter": "collections.Counter()", "defaultdict": "collections.defaultdict(int)",
    "OrderedDict": "collections.OrderedDict()", "dict": "{}",
}  # fmt: skip


@pytest.mark.parametrize("kind", GROWN)
def test_merged_into_a_dict(kind: str) -> None:
    source = f"""
import collections

def f(n):
    table = {GROWN[kind]}
    for i in range(n):
        table[i % 2] = i
    return {{**table, "x": 1}}, {{"a": n, **table}}, table == table
"""
    assert check(module_of(source)["f"], (np.int64(1),), (np.int64(3),), (np.int64(0),))


OPERATORS = "counts + counts; counts - counts; counts | counts; counts & counts; -counts; table | counts"
UNIONS = "table | ordered; lists | ordered"


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


@pytest.mark.parametrize("expression", UNIONS.split("; "))
def test_unions_of_two_kinds_are_refused(expression: str) -> None:
    with pytest.raises(StagingError, match=r"dicts that are not both plain\n(.*\n)*hint: make a dict"):
        rt.function(module_of(grown(expression))["f"])(np.int64(3))


def test_a_deque_is_reduced():
    def f(n):
        kept = collections.deque(maxlen=3)
        for i in range(n):
            kept.append(i)
        return functools.reduce(lambda a, b: 10 * a + b, kept), list(itertools.accumulate(kept))

    assert check(f, (1,), (3,), (5,))


def test_a_factory_that_cannot_be_called():
    def f(n):
        try:
            return collections.defaultdict(5, {1: n})
        except TypeError as error:
            return str(error)

    def g(n):
        return collections.defaultdict({n: 1})

    for program in (f, g):
        assert not check(program, (np.int64(1),), may_refuse=True)
