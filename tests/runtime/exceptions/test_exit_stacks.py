"""`contextlib.ExitStack` with managers that a run enters and leaves."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograph import StagingError
from runtime import function
from tests.differential import Call, check
from tests.long import some

CASES: dict[str, Callable[..., Any]] = {}
OUTSIDE = SimpleNamespace()


def case(function: Callable[..., Any]) -> Callable[..., Any]:
    CASES[function.__name__] = function
    return function


class Manager:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        print("enter", self.number)
        return self.number

    def __exit__(self, kind, error, traceback):
        print("exit", self.number, kind)


@contextlib.contextmanager
def announced(x):
    print("in", x)
    yield x * 2
    print("out", x)


def fail():
    raise KeyError("fail")


@case
def managers_and_callbacks(x):
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(Manager(x[0]))
        b = stack.enter_context(Manager(x[0] + 1))
        stack.callback(print, "called", x[1], sep="-")
        y = a + b
        print("body", y)
    return y


@case
def a_block_that_raises(x):
    with contextlib.ExitStack() as stack:
        stack.push(Manager(1))
        y = stack.enter_context(Manager(x[0]))
        if x[1] > 2:
            raise ValueError(y)
        y = y * 2
    return y


@case
def caught_outside(x):
    try:
        with contextlib.ExitStack() as stack:
            stack.push(lambda kind, error, traceback: print("pushed", kind, error))
            stack.enter_context(Manager(1))
            if x[1] > 2:
                raise KeyError(x[1])
            print("not")
    except KeyError as error:
        print("handled", error.args)
    return x[0]


@case
def an_exit_that_raises(x):
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(Manager(1))
            stack.callback(fail)
            stack.enter_context(Manager(2))
            if x[1] > 2:
                raise ValueError(x[1])
    except (KeyError, ValueError) as error:
        print(repr(error), repr(error.__context__))
    return x[0]


@case
def in_loops_of_known_length(x):
    with contextlib.ExitStack() as stack:
        total = 0.0
        for k in [1, 2]:
            total += stack.enter_context(Manager(k + x[0]))
        for k in range(3):
            stack.callback(print, "callback", k)
        more = [stack.enter_context(announced(x[1] + k)) for k in range(2)]
    return total, more


@case
def iterators_inside_and_after(x):
    items = iter([1.0, 2.0, 3.0])
    with Manager(0):
        first = next(items) * x[0]
        if x[1] > 2:
            raise ValueError(first)
    return first, next(items)


@case
def returns_from_inside(x):
    with contextlib.ExitStack() as outer, contextlib.ExitStack() as inner:
        outer.enter_context(Manager(1))
        inner.enter_context(Manager(2))
        if x[1] > 2:
            return x[0]
    return -x[0]


@case
def closed_by_hand(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Manager(1))
        with Manager(2):
            print("inner")
        stack.enter_context(Manager(3))
        for v in x:
            if v > 2:
                break
            print(v)
        stack.close()
        print("closed")
    return x[0]


@case
def under_a_condition(x):
    if x[1] > 2:
        with contextlib.ExitStack() as stack:
            y = stack.enter_context(Manager(x[0]))
    else:
        y = x[1]
    return y


@case
def what_is_no_manager(x):
    with contextlib.ExitStack() as stack:
        print(isinstance(stack, contextlib.ExitStack), stack is None)
        stack.enter_context(5)
    return x


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", CASES)
def test_as_python(name: str, engine: str) -> None:
    check(CASES[name], Call(np.array([1.0, 3.0])), Call(np.array([2.0, 1.0])), engines=[engine])


def in_a_branch(x):
    with contextlib.ExitStack() as stack:
        if x[1] > 2:
            stack.callback(print, "called")
    return x


def inside_another_block(x):
    with contextlib.ExitStack() as stack:
        with Manager(1):
            stack.enter_context(Manager(2))
    return x


def handed_on(x):
    with contextlib.ExitStack() as stack:
        stack.callback(print, "called")
        kept = stack.pop_all()
    kept.close()
    return x


def stored(x):
    with contextlib.ExitStack() as stack:
        OUTSIDE.stack = stack
    return x


def suppresses(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(ValueError))
        if x[1] > 2:
            raise ValueError
    return x


def a_manager_is_stored(x):
    OUTSIDE.manager = announced(x[0])
    return x


def warnings_are_caught(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = x * 2
    return y


def groups(x):
    try:
        if x[1] > 2:
            raise ValueError
    except* ValueError:
        x = -x
    return x


@pytest.mark.parametrize(
    ("f", "words", "hint"),
    [
        (in_a_branch, "given a manager outside of the block of its own", "the block of the `with` itself"),
        (inside_another_block, "is given a manager outside of the block", "the block of the `with` itself"),
        (handed_on, "are handed on to another one", "enter them in the stack that leaves them"),
        (stored, "an ExitStack is stored outside", "make the object outside"),
        (suppresses, "would not be suppressed here", "write it as try/except"),
        (a_manager_is_stored, "a context manager is stored outside", "make the object outside"),
        (warnings_are_caught, "`warnings.catch_warnings`", "around the call of the decorated function"),
        (groups, "it is an `except*`", "write `except` in its place"),
    ],
)  # fmt: skip
def test_refused(f, words, hint):
    with pytest.raises(StagingError) as caught:
        function(f)(np.array([1.0, 3.0]))
    assert words in str(caught.value)
    assert hint in (caught.value.hint or "")
