"""Dicts and sets that staged loops change: keys, views, operators."""

import enum
from collections import defaultdict, namedtuple

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()

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


NUMBERS = (3,), (0,), (4,)


def made(n):
    table = {}
    for i in range(n + 1):
        table[i * 2 % 5] = i
    return table


@PROGRAMS.of(*NUMBERS)
def folds_of_views(n):
    d = made(n)
    return (
        all(d.values()),
        any(d),
        any(d.keys()),
        min(d.items()),
        max(d.keys()),
        max(d.values(), default=3),
        min(d),
        all(k < 4 for k in d),
        max(d, key=d.get),
    )


@PROGRAMS.of(*NUMBERS)
def loops_and_tests_of_views(n):
    d = made(n)
    t = 0
    for k in set(d) & {0, 2, 4}:
        t += d[k]
    if set(d.keys()) == {0}:
        t = -1
    if not d.keys():
        t -= 10
    return t


@PROGRAMS.of(*NUMBERS)
def views_made_before_a_loop_in_which_the_dict_grows(n):
    d = made(n)
    keys, values, pairs = d.keys(), d.values(), d.items()
    total = 0
    for i in range(n):
        total += len(list(pairs)) + sum(values) + max(values)
        total += len(keys) + len(dict(zip(keys, values)))
        for k, v in pairs:
            total += k + v
        d[10 + i] = total
    return total, d


def test_it_is_what_was_given():
    def inside(x):
        d = defaultdict(int)
        for v in x:
            if v > 0:
                d[1] += 1
        return (
            d.default_factory is int,
            d.default_factory(),
            d.default_factory.__name__,
            defaultdict().default_factory,
        )

    check(inside, (UP,), (DOWN,))

    def argument(x, d):
        return d.default_factory is list, d.default_factory, getattr(d, "default_factory")

    check(argument, (UP, defaultdict(list)), (UP, defaultdict(int)), (UP, defaultdict()))

    def one_of_two(x):
        d = defaultdict(list) if x[0] > 0 else defaultdict(int)
        return d.default_factory is int

    with pytest.raises(StagingError, match="one of several defaultdicts"):
        rt.function(one_of_two)(UP)


def test_it_is_not_replaced():
    @rt.function
    def f(x, d):
        if x[0] > 0:
            d.default_factory = None
        return d["a"]

    with pytest.raises(StagingError, match="is stored|is a defaultdict"):
        f(UP, defaultdict(list))


def test_one_from_outside_that_no_run_can_have_is_refused():
    functions = defaultdict(lambda: abs, least=min)

    with pytest.raises(StagingError, match="`functions` is a defaultdict, and holds what no run tells apart"):
        rt.function(lambda x: functions["least"](x))(UP)


of = PROGRAMS.of


test_program = PROGRAMS.test()
