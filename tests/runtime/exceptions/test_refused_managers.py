"""Managers that a graph does not enter, and managers of contextlib's that are stored outside."""

import contextlib
import io
from types import SimpleNamespace

import numpy as np
import pytest

from autograph import StagingError
from runtime import function

OUTSIDE = SimpleNamespace(stack=contextlib.ExitStack())


class Manager:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        print("enter", self.number)
        return self.number

    def __exit__(self, kind, error, traceback):
        print("exit", self.number, kind)


class Silent(Manager):
    def __init__(self):
        self.number = 0


@contextlib.contextmanager
def announced(x):
    print("in", x)
    yield x * 2
    print("out", x)


def an_exit_stack(x):
    with contextlib.ExitStack() as stack:
        return stack.enter_context(Manager(x[0]))


def an_exit_stack_from_outside(x):
    with OUTSIDE.stack as stack:
        return stack.enter_context(Manager(x[0]))


def given_a_manager_from_outside(x):
    return OUTSIDE.stack.enter_context(Manager(x[0]))


def closed_at_the_end(x):
    with contextlib.closing(Manager(x[0])) as held:
        return held.number


class Entered:
    def __enter__(self):
        return 1


def one_without_an_exit(x):
    with Entered() as y:
        return y


def an_array(x):
    with x as y:
        return y


def one_of_two(x):
    with Manager(1) if x[0] > 0 else Silent():
        return x


def a_text_made_inside(x):
    with io.StringIO() as out:
        print(x[0], file=out)
        return out.getvalue()


def a_manager_is_stored(x):
    OUTSIDE.manager = announced(x[0])
    return x


def around_a_yield(x):
    def numbers():
        with Manager(1):
            yield x[0]
            yield 1 // int(x[1])

    items = numbers()
    return next(items), next(items)


def of_a_function_that_looks_at_its_frame(x):
    with Manager(1):
        y = 1 // int(x[0])
    return y, len(locals())


@pytest.mark.parametrize(
    ("f", "words", "hint"),
    [
        (an_exit_stack, "`contextlib.ExitStack` is a class that", "write `with first, second:`"),
        (an_exit_stack_from_outside, "entering this ExitStack acts on the world", "around the call"),
        (given_a_manager_from_outside, "enter_context` is code of contextlib", "outside the decorated"),
        (closed_at_the_end, "entering this closing acts", "write `try: ... finally: thing.close()`"),
        (one_without_an_exit, "entering this Entered acts on the world", "around the call"),
        (an_array, "acts on the world outside", "around the call"),
        (one_of_two, "a `with` gets one of several managers", "put the `with` inside the `if`"),
        (a_text_made_inside, "`_io.StringIO` is a class that is not converted", "join the pieces"),
        (a_manager_is_stored, "a context manager is stored outside", "make the object outside"),
        (around_a_yield, "the exit of this Manager acts where its block raises", "a function of its own"),
        (of_a_function_that_looks_at_its_frame, "cannot be left in the middle", "a function of its own"),
    ],
)  # fmt: skip
def test_refused(f, words, hint):
    with pytest.raises(StagingError) as caught:
        function(f)(np.array([1.0, 3.0]))
    assert words in str(caught.value)
    assert hint in (caught.value.hint or "")
