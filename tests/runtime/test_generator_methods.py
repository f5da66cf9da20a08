"""The methods of generators, which are refused, and the end of those that nobody exhausts."""

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from tests.differential import check
from tests.long import some

CALLS = [(np.array(items),) for items in ([1.0, 2.0, 3.0], [-1.0, 2.0, 0.5], [0.0, 2.0, -1.0])]
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def send(items):
    return items.send(2.0)


def throw(items):
    return items.throw(ValueError("v"))


def close(items):
    return items.close()


@pytest.mark.parametrize("method", [send, throw, close])
def test_these_are_refused(method):
    @rt.function
    def advanced(x):
        items = (v for v in x)
        first = next(items)
        return first, method(items)

    with pytest.raises(StagingError, match=f"`{method.__name__}` of a generator is read(?s:.*)hint: iterate"):
        advanced(np.ones(3))


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
def test_as_python(name, engine):
    check(CASES[name], *CALLS, engines=[engine])


def test_a_trace_that_is_given_up_has_no_effect(capsys):
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


def test_a_generator_is_advanced_where_it_was_made():
    @rt.function
    def advances_sometimes(x):
        items = (v for v in [1, 2])
        if x[0] > 0:
            next(items)
        return next(items, None)

    with pytest.raises(StagingError, match="under a staged condition"):
        advances_sometimes(np.ones(3))
