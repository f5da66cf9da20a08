"""Texts of Python's own that ask for a text, or a time zone, of the user's, which changes something."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import types

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


class Fixed(datetime.tzinfo):
    def utcoffset(self, dt):
        return datetime.timedelta(hours=HOURS)


HOURS = 1


def test_a_text_of_the_users_own_that_asks_for_another():
    def scenario(function):
        one = counting()
        shown = Showing(one)

        @function
        def f(x):
            return repr(shown), f"{shown}", one.calls, x

        return f(1), f(1), f(2), one.calls

    check_scenario(scenario)


HOLDERS = [
    Field,
    ValueError,
    lambda one: types.SimpleNamespace(one=one),
    lambda one: collections.deque([one]),
    lambda one: collections.UserDict(one=one),
    lambda one: [{"one": Field(one)}],
]


@pytest.mark.parametrize("hold", HOLDERS)
def test_a_text_of_pythons_that_asks_for_one_is_refused(hold):
    one = counting()
    shown = hold(one)

    @rt.function
    def f(x):
        return repr(shown), one.calls, x

    with pytest.raises(StagingError, match="__repr__|no change of it would be seen"):
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
    [str, format, lambda t: f"{t}", lambda t: f"{t:%z}"],
    ids=["str", "format", "f-string", "with a specification"],
)
@pytest.mark.parametrize("make", [lambda zone: datetime.datetime(2020, 1, 1, tzinfo=zone)])
def test_a_time_zone_that_counts_is_refused(text, make):
    zone = Counted()
    time = make(zone)

    @rt.function
    def f(x):
        return text(time), zone.calls, x

    with pytest.raises(StagingError, match="utcoffset` changes something, and the text of a datetime"):
        f(1)


def test_a_time_zone_that_reads():
    def scenario(function):
        global HOURS
        time = datetime.datetime(2020, 1, 1, tzinfo=Fixed())

        @function
        def f(x):
            return str(time), f"{time:%z} {x}", repr(time.replace(tzinfo=None)) if x > 5 else ""

        HOURS = 1
        first = f(1)
        HOURS = 2
        return first, f(1)

    check_scenario(scenario, may_refuse=True)
