"""Refusals say why it is refused, at the line that is meant, and what they say to write is accepted."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check, check_scenario

X = np.arange(4)


def refusal(f, *args):
    with pytest.raises(StagingError) as raised:
        rt.function(f)(*args)
    return raised.value


def test_a_jump_that_leaves_a_finally():
    def test_in_it(x):
        for v in x:
            try:
                y = 1 / (v + 1)
            finally:
                if v > 1:
                    return 5
        return y

    def raises(x):
        n = 0
        for v in x:
            try:
                n += 10 // int(v)
            finally:
                continue
        return n

    def as_it_says(x):
        done = False
        for v in x:
            try:
                y = 1 / (v + 1)
            finally:
                if v > 1:
                    done = True
            if done:
                return 0 * y
        return y

    for f in (test_in_it, raises):
        assert "leaves a `finally`" in refusal(f, X).hint
    check(as_it_says, (X,), (X * 0,))


def test_a_number_is_no_container():
    check(lambda x: 1 in x[0], (X,), (np.zeros((2, 2)),))
    check(lambda n: 1 in n, (3,), (True,), (np.float32(3),), (np.array(3),))


def test_calls_too_deep_for_a_trace():
    def walk(x):
        def step(k):
            return 0 if k == 0 else step(k - 1) + x

        return step(700)

    def as_it_says(x, k):
        def step(k):
            return 0 if k == 0 else step(k - 1) + x

        return step(k)

    error = refusal(walk, 1.0)
    assert error.file == __file__ and error.line == walk.__code__.co_firstlineno + 2
    assert "argument of the decorated function" in error.hint
    check(as_it_says, (1.0, 500))


def test_a_frozenset_of_numbers_of_a_run():
    for f in (
        lambda x: frozenset(x.tolist()),
        lambda x: frozenset(int(v) for v in x if v > 1),
        lambda x: frozenset([int(v) for v in x]),
    ):
        assert refusal(f, X).hint == "make it a set, with `set(...)`"
    check(lambda x: (frozenset(c for c in "ab"), frozenset([1, 2]) | {3}, frozenset(), x[0]), (X,))


def test_a_setattr_that_stores_into_the_namespace():
    class Stores:
        def __setattr__(self, name, value):
            self.__dict__[name] = value

    class AsItSays:
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value)

    def scenario(decorate):
        held = AsItSays()
        held.n = 0

        @decorate
        def f(x):
            for v in x:
                if v > 1:
                    held.n = held.n + v
            return held.n

        return f(X), f(X * 2), held.n

    held = Stores()

    def f(x):
        held.n = x

    assert "object.__setattr__(self, name, value)" in refusal(f, 1).hint
    check_scenario(scenario)


# -- Refusals whose hints are followed to the letter: the program that comes out of it works


def difference(a=1, b=2):
    return a - b


def raises_a_group(x, n):
    try:
        if x > 1:
            raise ExceptionGroup("several", [ValueError(n)])
    except* ValueError:
        n = -n
    return n


def raises_single_ones(x, n):
    try:
        if x > 1:
            raise ValueError(n)
    except ValueError:
        n = -n
    return n


@pytest.mark.parametrize(
    ("refused", "followed", "hint"),
    [
        (raises_a_group, raises_single_ones, "raise single exceptions, no group"),
    ],
)
def test_the_hint_works(refused, followed, hint):
    calls = [Call(np.float64(x), np.int64(n)) for x, n in ((5.0, 3), (0.5, 1), (2.5, 2), (0.5, 4))]
    with pytest.raises(StagingError, match=hint):
        rt.function(refused)(*calls[0].args)
    check(followed, *calls)
