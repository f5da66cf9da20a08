"""Texts of Python's own that ask for a text, or a time zone, of the user's, which changes something."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check_scenario


class Counted(datetime.tzinfo):
    def __init__(self):
        self.calls = 0

    def utcoffset(self, dt):
        self.calls += 1
        return datetime.timedelta(hours=self.calls % 5)


def test_what_helps():
    class Counting:
        calls = 0

        def text(self):
            self.calls += 1
            return f"<{self.calls}>"

    def f(x):
        one = Counting()
        return f"{one.text()} {one.calls}", one.text(), x

    check_scenario(lambda function: (function(f)(1), function(f)(2)))


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
