"""A refusal that only a run finds leaves the call: no handler of the program takes it for its own exception.

What cleans up runs all the same: `finally`, and the exit of a `with`.
"""

import contextlib

import numpy as np
import pytest

import runtime as rt
from autograph.errors import IntegerRangeError, StagingError
from tests.differential import ENGINES, Call, check


def by_class(a, b):
    try:
        return a**b
    except Exception as error:
        return type(error).__name__


def bare(a, b):
    try:
        return a**b
    except:  # noqa: E722
        return "caught"


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        print("exit")
        return True


def swallowed(a, b):
    with Swallowing():
        a = a**b
    return a


@contextlib.contextmanager
def catching():
    try:
        yield
    except Exception:
        print("caught")
    finally:
        print("exit")


def fails_cleaning_up(a, b):
    try:
        a = a**b
    finally:
        print("exit")
        if a > 0:
            raise ValueError("while cleaning up")
    return a


DEPTHS = []


def deep(n, a, b):
    DEPTHS.append(n)
    return a**b if n == 0 else deep(n - 1, a, b) + 1


def in_a_recursion(a, b):
    try:
        return deep(a, a, b)
    except Exception:
        return 7
    finally:
        print("exit" if len(DEPTHS) == 3 else len(DEPTHS))


def of_an_array(a, b):
    numbers = [i for i in range(a + b)]
    try:
        return np.array(numbers)
    except Exception as error:
        return type(error).__name__


REFUSED = [by_class, bare, in_a_recursion, of_an_array]
CLEANING = [swallowed, fails_cleaning_up, in_a_recursion]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("function", dict.fromkeys([*REFUSED, *CLEANING]))
def test_no_handler_takes_it(function, engine, capsys):
    DEPTHS.clear()
    with pytest.raises(StagingError, match="but ") as refused:
        rt.function(function, engine=engine)(2, -3)
    assert refused.value.file == __file__ and refused.value.line and refused.value.hint
    assert capsys.readouterr().out == ("exit\n" if function in CLEANING else "")


def outgrown(n):
    big = 1
    try:
        for _ in range(n):
            big = big * 3
    except (OverflowError, Exception):
        return -1
    finally:
        print("exit")
    return big


@pytest.mark.parametrize("engine", ENGINES)
def test_no_handler_inside_takes_an_int_beyond_64_bits(engine, capsys):
    compiled = rt.function(outgrown, engine=engine)
    assert compiled(20) == 3**20
    with pytest.raises(OverflowError, match="does not fit in 64 bits") as refused:
        compiled(200)
    assert isinstance(refused.value, IntegerRangeError)
    assert refused.value.file == __file__ and refused.value.line and refused.value.hint
    assert capsys.readouterr().out == "exit\nexit\n"


def sum_of_few(x):
    few = x[x > 5]
    return sum(few), sum(few, -0.0), sum(few, 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_a_sum_of_nothing_is_its_start(dtype):
    check(sum_of_few, Call(np.arange(3).astype(dtype)), Call(np.arange(9).astype(dtype)))
