"""A `try` that stays Python's: right where nothing in it is raised at run time, refused otherwise."""

import numpy as np
import pytest

from autograph import StagingError
from tests.differential import Refused, check
from tests.long import some

CALLS = [(np.array(items),) for items in ([1.0, 2.0], [-1.0, 2.0], [0.0, 2.0], [5.0, -2.0])]
MISSED = {}
RIGHT = {}
LIMIT = 5


def missed(function):
    """What is raised at run time would pass by the `try`."""
    MISSED[function.__name__] = function
    return function


def right(function):
    RIGHT[function.__name__] = function
    return function


@missed
def return_in_finally(x):
    try:
        if x[0] > 0:
            raise ValueError("positive")
        return 1
    finally:
        return x[0]


@missed
def locals_of_the_function(x):
    try:
        y = 1 // int(x[0])
    except ZeroDivisionError:
        y = 5
    return y, len(locals())


@missed
def unbound_global(x):
    global LIMIT
    LIMIT = 4
    try:
        print(1 // int(x[0]))
        del LIMIT
    except ZeroDivisionError:
        LIMIT = 7
    return 3


@missed
def raise_in_handler(x):
    for v in x:
        try:
            raise KeyError("k")
        except KeyError:
            print(1 // int(v))
        finally:
            break
    return v


@right
def nothing_raises(x):
    y = 0.0
    try:
        y = x.sum()
    finally:
        return y


@right
def raised_while_tracing(x):
    try:
        y = int("four")
    except* ValueError:
        y = x.sum() + 1
    return y


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", RIGHT)
def test_nothing_passes_by(name, engine):
    check(RIGHT[name], *CALLS, engines=[engine])


@pytest.mark.parametrize("name", MISSED)
def test_what_passes_by_is_refused(name):
    with pytest.raises(Refused, match="would pass the handlers"):
        check(MISSED[name], *CALLS, engines=["numpy"])


def test_a_refusal_is_not_swallowed_by_the_program():
    """The `if` around the `yield` is refused by an exception that the handler of the program catches."""
    import runtime as rt

    @rt.function
    def pairs(x):
        def numbers():
            try:
                for i in range(3):
                    if x[0] > i:
                        yield i
            except Exception:
                print("swallowed")

        return list(zip(numbers(), numbers(), strict=True))

    with pytest.raises(StagingError, match="truth of a staged b1"):
        pairs(np.array([2.0, 1.0]))
