"""Tuples with a class: namedtuples, and classes of the user's that are tuples."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check, check_scenario

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])
Row = namedtuple("Row", "items count")


class Line(NamedTuple):
    items: list
    count: int = 0


class Pair(tuple):
    @property
    def items(self):
        return self[0]


class Noted(tuple):
    def __new__(cls, *items, note=None):
        made = tuple.__new__(cls, items)
        made.note = note
        return made


class Box:
    pass


def of_row(items, count):
    return Row(items, count)


def of_pair(items, count):
    return Pair((items, count))


@pytest.mark.parametrize("make", [of_row, Line, of_pair])
@pytest.mark.parametrize("items", [list, dict])
def test_what_a_tuple_of_an_attribute_holds_is_changed(make, items):
    def scenario(function):
        box, held = Box(), items()
        box.row = make(held, 0)

        @function
        def f(x):
            if x[0] > 0:
                box.row = make(box.row.items, 1)
            if items is list:
                box.row.items.append(9)
            else:
                box.row.items["a"] = x[0]
            return box.row.items, len(box.row.items)

        results = f(UP), f(DOWN), f(UP)
        return results, held, results[0][0] is held, box.row.items is held, type(box.row) is type(make([], 0))

    check_scenario(scenario)


def test_what_a_tuple_of_a_variable_outside_holds():
    def scenario(function):
        held = [1]
        row = Row(held, 0)

        @function
        def f(x):
            nonlocal row
            for v in x:
                if v > 0:
                    row = row._replace(count=row.count + 1)
                row.items.append(v)
            return row

        results = f(UP), f(DOWN)
        return results, held, results[0].items is held, row.items is held

    check_scenario(scenario)


def test_what_an_object_in_a_tuple_holds():
    def scenario(function):
        box, inner = Box(), Box()
        inner.k = 1
        box.row = None

        @function
        def f(x):
            if x[0] > 0:
                box.row = Row(inner, 1)
            if box.row is not None:
                box.row.items.k += 1
            return inner.k

        return f(DOWN), f(UP), f(DOWN), inner.k

    check_scenario(scenario)


def test_a_class_of_the_users_that_is_a_tuple_is_stored():
    def scenario(function):
        box, rows, held = Box(), [], [1]

        @function
        def f(x):
            box.pair = Pair((x[0], held))
            rows.append(Pair((held, x[1])))
            print(Pair((x[0], 2)))
            return Pair((x[0], held))

        made = f(UP)
        kinds = type(made) is type(box.pair) is type(rows[0]) is Pair
        return made, kinds, box.pair, rows, box.pair[1] is held, rows[0].items is held

    check_scenario(scenario)


def test_a_class_of_the_users_that_is_a_tuple_in_control_flow():
    def f(x):
        kept = []
        last = Pair(([0.0], 0.0))
        for v in x:
            if v > 0:
                last = Pair(([v], 1.0))
                kept.append(Pair((v, 2.0)))
            last.items.append(v)
        return last.items, last[1], kept, [type(one) is Pair for one in kept], type(last) is Pair

    check(f, (UP,), (DOWN,), may_refuse=True)


def test_a_tuple_with_attributes_is_refused():
    box = Box()

    @rt.function
    def stored(x):
        box.noted = Noted(x[0], note=3)
        return 1

    with pytest.raises(StagingError, match="a Noted is a tuple with attributes of its own"):
        stored(UP)


class Turned(tuple):
    def __iter__(self):
        return iter((*tuple.__iter__(self),)[::-1])


class Place(NamedTuple):
    x: float
    y: float

    def __iter__(self):
        return iter((self.x,))


class Asked(tuple):
    def __iter__(self):
        TOLD.append("asked")
        return tuple.__iter__(self)


TOLD: list[str] = []


@pytest.mark.parametrize("cls", [Turned, Place])
def test_a_tuple_that_reads_itself_is_kept_or_refused(cls):
    make = cls if cls is Place else lambda *items: cls(items)

    def straight_on(x):
        made = make(x[0], 2.0)
        return made, made[0], made[1], list(made)

    def chosen(x):
        made = make(1.0, 2.0)
        if x[0] > 0:
            made = make(x[1], x[0])
        return made[0], made[1], list(made)

    def listed(x):
        return [make(v, v)[1] for v in [make(w, w) for w in x]]

    assert check(straight_on, (UP,), (DOWN,))
    assert not check(chosen, (UP,), may_refuse=True)
    check(listed, (UP,), (DOWN,), may_refuse=True)
    with pytest.raises(StagingError, match="is a tuple with methods of its own to read its items, and holds"):
        rt.function(chosen)(UP)


def test_a_tuple_whose_methods_act_is_refused():
    def f(x):
        made = Asked((x[0], 1.0))
        return made[0], len(TOLD)

    assert not check(f, (UP,), may_refuse=True)
    with pytest.raises(StagingError, match="a Asked is a tuple with methods that change something"):
        rt.function(f)(UP)


class Shown(tuple):
    def __new__(cls, *items):
        return super().__new__(cls, items)

    def __ne__(self, other):
        TOLD.append("asked")
        return tuple.__ne__(self, other)


SHOWN = Shown(1, 2)


def test_so_it_is_with_a_constructor_of_its_own_and_from_outside():
    def made(x):
        return Shown(x[0], 2.0) != (1, 2)

    def from_outside(x):
        return SHOWN != (1, 2), x[0]

    for f in (made, from_outside):
        with pytest.raises(StagingError, match="a Shown is a tuple with methods that change something"):
            rt.function(f)(UP)
