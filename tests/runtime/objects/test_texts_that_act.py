"""Texts of Python's own that ask for a text, or a time zone, of the user's, which changes something."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import types

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check_scenario


def counting():
    class Counting:
        def __init__(self):
            self.calls = 0

        def __repr__(self):
            self.calls += 1
            return f"<{self.calls}>"

    return Counting()


@dataclasses.dataclass
class Field:
    held: object


class Showing:
    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return f"Showing({self.held!r})"


class Counted(datetime.tzinfo):
    def __init__(self):
        self.calls = 0

    def utcoffset(self, dt):
        self.calls += 1
        return datetime.timedelta(hours=self.calls % 5)


def test_one_that_is_made_inside_is_refused():
    class Counting:
        calls = 0

        def __str__(self):
            self.calls += 1
            return "counting"

    @rt.function
    def f(x):
        one = Counting()
        return str(Showing(one)), one.calls, x

    with pytest.raises(StagingError, match="changes something, and a text asks for it unseen"):
        f(1)


def test_the_way_out():
    class Counting:
        calls = 0

        def text(self):
            self.calls += 1
            return f"<{self.calls}>"

    def f(x):
        one = Counting()
        return f"{one.text()} {one.calls}", one.text(), x

    check_scenario(lambda function: (function(f)(1), function(f)(2)))


HOLDERS = [
    lambda one: one,
    Showing,
    Field,
    ValueError,
    lambda one: types.SimpleNamespace(one=one),
    lambda one: collections.deque([one]),
    lambda one: collections.UserDict(one=one),
    lambda one: [{"one": Field(one)}],
]


@pytest.mark.parametrize("hold", HOLDERS)
def test_a_text_that_asks_for_one_is_refused(hold):
    one = counting()
    shown = hold(one)

    @rt.function
    def f(x):
        return repr(shown), one.calls, x

    with pytest.raises(StagingError, match="__repr__|no change of it would be seen|no run tells apart"):
        f(1)
    assert one.calls == 0


def test_a_list_that_holds_itself():
    def scenario(function):
        held = [1]
        held.append(held)

        @function
        def f(x):
            return str(held), x

        return f(1), f(2)

    check_scenario(scenario, may_refuse=True)


@pytest.mark.parametrize(
    "text",
    [str, format, lambda t: f"{t}", lambda t: f"{t:%z} {np.ones(1)[0]}", print],
    ids=["str", "format", "f-string", "with a specification", "print"],
)
@pytest.mark.parametrize("make", [lambda zone: datetime.datetime(2020, 1, 1, tzinfo=zone)])
def test_a_time_zone_of_ones_own_is_refused(text, make):
    zone = Counted()
    time = make(zone)

    @rt.function
    def f(x):
        return text(time), zone.calls, x

    with pytest.raises(StagingError, match="the text of a time asks a time zone of a class of yours"):
        f(1)
