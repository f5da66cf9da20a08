"""`send`, `throw` and `close` of generators, and the end of those that nobody exhausts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from tests.differential import check
from tests.long import some

CALLS = [(np.array(items),) for items in ([1.0, 2.0, 3.0], [-1.0, 2.0, 0.5], [0.0, 2.0, -1.0])]
CASES: dict[str, Callable[..., Any]] = {}


def case(function: Callable[..., Any]) -> Callable[..., Any]:
    CASES[function.__name__] = function
    return function


@case
def send_a_staged_value(x):
    def running_total():
        total = 0.0
        while True:
            total = total + (yield total)

    totals = running_total()
    next(totals)
    totals.send(x[0])
    last = totals.send(x[1] * 2)
    totals.close()
    return last


@case
def send_in_a_python_loop(x):
    def printer():
        try:
            while True:
                value = yield
                print("got", value)
        except GeneratorExit:
            print("exit")
            raise

    target = printer()
    target.send(None)
    for k in [1, 2]:
        target.send(k * x[0])
    target.close()
    print("closed")
    return x


@case
def throw_into_a_generator(x):
    def guarded():
        try:
            yield x[0]
        except ValueError as error:
            yield f"caught {error} {x[1]}"

    items = guarded()
    return next(items), items.throw(ValueError("v"))


@case
def close_runs_the_finally(x):
    def guarded():
        try:
            yield x[0]
            yield x[1]
        finally:
            print("finally", x[2])

    items = guarded()
    first = next(items)
    items.close()
    print("closed")
    return first, next(items, None)


@case
def finally_of_a_generator_in_a_trace_that_begins_again(x):
    def guarded():
        try:
            yield x[0]
            yield x[1]
        finally:
            print("finally")

    items = guarded()
    first = next(items)
    positive = []
    for v in x:
        if v > 0:
            positive.append(v)
    return first, positive, next(items)


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", CASES)
def test_as_python(name: str, engine: str) -> None:
    check(CASES[name], *CALLS, engines=[engine])


def test_a_trace_that_is_given_up_has_no_effect(capsys: pytest.CaptureFixture[str]) -> None:
    @rt.function
    def refused(x):
        def guarded():
            try:
                yield x[0]
            finally:
                print("finally")

        items = guarded()
        first = next(items)
        return first, open(str(x[0]))

    with pytest.raises(StagingError, match="input, output"):
        refused(np.ones(3))
    assert capsys.readouterr().out == ""


def test_a_generator_is_advanced_where_it_was_made() -> None:
    @rt.function
    def closes_sometimes(x):
        items = (v for v in [1, 2])
        if x[0] > 0:
            items.close()
        return next(items, None)

    with pytest.raises(StagingError, match="under a staged condition"):
        closes_sometimes(np.ones(3))
