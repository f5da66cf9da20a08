"""Exceptions of the user's own classes, made of what only a run knows (mechanism E of the table)."""

from tests.features.registry import floats
from tests.variations.cases import case

ROWS = [floats(1, 2, 5), floats(-4, 0.5, -1), floats(0, 0, 0)]


class Bad(Exception):
    def __init__(self, value):
        super().__init__(f"value {value}")
        self.value = value


class Worse(Exception):
    def __init__(self, value):
        Exception.__init__(self, value, "worse")
        self.value = value


def checked(v):
    if v < 0:
        raise Bad(v)
    return v


@case(*ROWS)
def an_assertion_holds_an_exception_of_a_class_that_was_caught(x):
    try:
        total = sum(checked(v) for v in x)
    except Bad as error:
        return error.value, str(error), repr(error)
    assert total > 0, Bad(total)
    return total


@case(*ROWS)
def one_of_several_exceptions_is_held_and_is_the_cause(x):
    if x[0] > 0:
        error = Bad(x[0] * 2)
    elif x[0] < 0:
        error = Worse(f"{x[0]}")
    else:
        error = None
    if error:
        raise RuntimeError(error) from error
    return 1
