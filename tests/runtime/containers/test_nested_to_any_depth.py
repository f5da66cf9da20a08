"""Lists and dicts that may lie in each other to any depth: a run makes them, and they are known as far as the
trace knows their items. Who reads one of which only a run knows the place is refused."""

from __future__ import annotations

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check, check_scenario
from tests.modules import module_of
from tests.programs import Programs

PROGRAMS = Programs()
UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


@PROGRAMS.of((UP, [3]), (DOWN, [3]))
def a_copy_of_a_list(x, c):
    for v in x:
        if v > 1:
            c.append(c[:])
    return c


@PROGRAMS.of((UP, {"a": 1}), (DOWN, {"a": 1}))
def a_copy_of_a_dict(x, c):
    for v in x:
        if v > 1:
            c["p"] = dict(c)
    return c


@PROGRAMS.of((UP,), (DOWN,))
def itself(x):
    c = [1]
    for v in x:
        if v > 0:
            c.append(c)
    return len(c), str(c)


@PROGRAMS.of((UP,), (DOWN,))
def a_list_of_lists(x):
    node = [1, None]
    for v in x:
        if v > 0:
            node = [v, node]
    return node


@PROGRAMS.of((UP,), (DOWN,))
def of_one_line(x):
    def row():
        return []

    rows = row()
    for v in x:
        one = row()
        if v > 0:
            one.append(v)
            rows.append(one)
    return rows


@PROGRAMS.of((UP,), (DOWN,))
def rows_and_one_of_them(x):
    rows = [[v, 1.0] for v in x if v != 0]
    both = {"rows": rows, "first": rows[0]}
    both["first"][1] = 5.0
    return both, rows[0][1], both["rows"][0] is both["first"]


@PROGRAMS.of((UP,), (DOWN,))
def known_ones(x):
    """A list that holds itself, and one to a depth of 50."""
    c, deep = [x[0]], [x[0]]
    c.append(c)
    for _ in range(50):
        deep = [deep]
    return c[1][1][0], c == c, str(c), deep


@PROGRAMS.of((3,), (0,))
def rows_of_rows(n):
    rows = []
    for i in range(n):
        rows.append([[i], [[i, n]]])
    return rows


test_program = PROGRAMS.test()


def test_each_holds_the_other():
    def scenario(decorate):
        module = module_of(
            "KEPT, TABLE = [[1.0]], {'k': [2.0]}\n"
            "def f(x):\n"
            "    if x[0] > 0:\n"
            "        KEPT.append(TABLE['k'])\n"
            "        TABLE['l'] = (x[0], KEPT[0])\n"
            "    return len(KEPT)\n"
        )
        found = [decorate(module["f"])(x) for x in (UP, DOWN)]
        return found, module["KEPT"], module["TABLE"], module["KEPT"][1] is module["TABLE"]["k"]

    check_scenario(scenario)


def the_sum(x):
    node = [1.0, None]
    for v in x:
        if v > 0:
            node = [v, node]
    total = 0.0
    while node is not None:
        total += node[0]
        node = node[1]
    return total


def an_item_of_one(x):
    node = [1.0, None]
    for v in x:
        if v > 0:
            node = [v, node]
    return node[0]


@pytest.mark.parametrize("f", [the_sum, an_item_of_one])
def test_reading_one_is_refused(f):
    with pytest.raises(
        StagingError, match="others of its own kind to any depth is read from a list"
    ) as caught:
        rt.function(f)(UP)
    assert "node[0]" in str(caught.value)


def test_copies_in_another_list():
    def f(x):
        history, c, d = [], [], {}
        for v in x:
            if v > 0:
                c.append(v)
                d[v] = 1
                history.append((c[:], dict(d)))
        return history

    check(f, (UP,), (DOWN,))
