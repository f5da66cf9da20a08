"""Tuples with a class: namedtuples, and classes of the user's that are tuples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


class Noted(tuple):
    def __new__(cls, *items, note=None):
        made = tuple.__new__(cls, items)
        made.note = note
        return made


class Box:
    pass


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
