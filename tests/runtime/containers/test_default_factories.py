"""What a defaultdict makes for a new key: the program sees what it gave, and copies take it over."""

from __future__ import annotations

import copy
from collections import defaultdict

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check, check_scenario

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


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


def test_copies_make_the_same():
    def f(x):
        d = defaultdict(list)
        d["a"].append(x[0])
        copies = [copy.deepcopy(d), copy.copy(d), d.copy()]
        for v in x:
            if v > 0:
                copies[0]["b"].append(v)
        copies[1]["c"].append(2)
        return d, copies

    check(f, (UP,), (DOWN,), may_refuse=True)

    def nested(x):
        d = defaultdict(int)
        d["a"] += x[0]
        e = copy.deepcopy({"q": d, "r": [d]})
        e["q"]["b"] += 3
        return d, e, e["q"] is e["r"][0], copy.deepcopy(defaultdict(int))

    check(nested, (UP,), (DOWN,))


def test_copies_of_one_from_outside():
    def scenario(function):
        known = defaultdict(list, {"a": [1]})

        @function
        def f(x):
            e = copy.deepcopy(known)
            e["b"].append(1)
            e["a"].append(x[0])
            return e

        return f(UP), f(DOWN), known

    check_scenario(scenario)


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
