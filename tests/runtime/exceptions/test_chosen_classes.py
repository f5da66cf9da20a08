"""`isinstance`, `issubclass` and `except` of a tuple of classes, one of which only a run chooses."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check
from tests.modules import module_of

CALLS = [(np.array([1.0, -2.0]), 2), (np.array([-1.0, -2.0]), 2), (np.array([1.0, 3.0]), 0)]


class Swallow:
    def __init__(self, *kinds):
        self.kinds = kinds

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, self.kinds)


def a_manager_of_chosen_classes(x, n):
    manager = Swallow(KeyError)
    if n > 1:
        manager = Swallow(ValueError)
    with manager:
        if x[0] > 0:
            raise KeyError("k")
        x[1] = 3.0
    return x


def known_errors_and_classes(x, n):
    chosen = KeyError if n > 1 else ValueError
    kinds = (chosen, (IndexError, OSError))
    return isinstance(KeyError("k"), kinds), issubclass(LookupError, kinds), issubclass(ValueError, chosen)


def numbers(x, n):
    kinds = (int,) if x[0] > 0 else (float,)
    return isinstance(n, kinds), isinstance(x[0], kinds), isinstance(n, kinds[0])


def a_handler(x, n):
    chosen = KeyError if n > 1 else ValueError
    try:
        raise KeyError("k") if x[0] > 0 else ValueError("v")
    except (chosen, OSError) as error:
        return 1, isinstance(error, (chosen, OSError)), issubclass(type(error), (chosen, OSError))
    except LookupError:
        return 2, True, False


@pytest.mark.parametrize("f", [a_manager_of_chosen_classes, known_errors_and_classes, numbers, a_handler])
def test_each_class_that_a_run_may_choose_is_asked(f):
    check(f, *CALLS)


def test_nothing_is_caught_by_a_class_that_was_not_chosen():
    def f(x, n):
        chosen = OSError if n > 1 else LookupError
        try:
            raise KeyError("k") if x[0] > 0 else ValueError("v")
        except (chosen, IndexError):
            return 1

    check(f, *CALLS)


NO_CLASSES = [
    "5",
    "(int, ZeroDivisionError)",
    "(KeyError, (ZeroDivisionError,))",
    "ValueError | ZeroDivisionError",
]


@pytest.mark.parametrize("classes", NO_CLASSES)
def test_what_is_no_class_of_exceptions_catches_nothing(classes: str) -> None:
    source = f"""
def f(n):
    try:
        try:
            return 10 // n
        except {classes}:
            return 1
    except TypeError as error:
        return str(error), type(error.__context__)
"""
    assert check(module_of(source)["f"], Call(2), Call(0), Call(5))


def test_a_tuple_in_a_tuple_catches_nothing_where_a_run_chooses_what_it_holds():
    def f(n):
        chosen = IndexError if n > 0 else ValueError
        try:
            raise IndexError(n) if n % 2 else TypeError(n)
        except (KeyError, (TypeError, chosen)):
            return 1

    check(f, *map(Call, (1, 2, -1, -2)))


def test_classes_that_only_a_run_knows_are_refused():
    def f(n):
        classes = [ValueError]
        if n > 1:
            classes.append(IndexError)
        try:
            return [10, 20, 30][n]
        except tuple(classes):
            return 1

    with pytest.raises(StagingError, match="which exceptions `except` catches is known only at run time"):
        rt.function(f)(np.int64(5))
