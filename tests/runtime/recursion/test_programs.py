"""Recursive programs that people write: puzzles, memoised functions, searches, walks."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()

scenario = PROGRAMS.scenario

A = np.array


def positive(f, k=1.0):
    def wrapper(x):
        if x.sum() > 100:
            raise ValueError("large")
        r = f(x) + k
        return -r if r.sum() < 0 else r

    return wrapper


@positive
def lower(x):
    return x - 3


@positive
def higher(x):
    return lower(x) * 10 if x[0] > 0 else x


TWICE = positive(positive(lambda x: x - 5, 2.0), 4.0)


@positive
def halved(x):
    return halved(x / 2) + 1 if x[0] > 1 else x


@scenario
def functions_that_one_decorator_made_call_each_other(function):
    @function
    def f(x):
        return higher(x), TWICE(x), halved(x)

    return [f(A([1.0, 2.0])), f(A([-1.0, 2.0])), f(A([9.0, -20.0]))]


@scenario
def function_of_a_with_block(function):
    """The function uses what the block has made before, which has another name inside it than after it."""
    kept = []

    class Held:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, trace):
            kept.append(len(kept))

    class Box:
        held = None

    box = Box()

    def down(d, thing):
        if d > 0:
            down(d - 1, thing)
        else:
            box.held = thing

    @function
    def f(n):
        row = [n]
        with Held():
            down(n, row)

            def add(d):
                box.held[0] += 1
                if d > 0:
                    add(d - 1)

            add(n)
        return row, box.held is row

    return [f(3), f(1), f(0), kept]


def test_one_that_changes_a_variable_to_any_depth_is_refused():
    @rt.function
    def f(x):
        count = 0

        def walk(k):
            nonlocal count
            count += 1
            return 1 // k if k <= 0 else walk(k - 1)

        try:
            return walk(int(x[0]))
        except ZeroDivisionError:
            return count

    with pytest.raises(StagingError, match="`walk` changes `count` and is called in a `try`") as refused:
        f(np.array([3.0]))
    assert "keep `count` in a list" in (refused.value.hint or "")


test_program = PROGRAMS.test()
