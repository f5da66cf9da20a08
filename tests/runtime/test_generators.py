"""Generator functions under a trace: consumed by loops they are part of the graph, else refused by name."""

import contextlib
import itertools

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check

X, Y, ONE = np.array([3.0, -1.0, 4.0]), np.array([-2.0, 7.0, -1.0]), np.array([5.0])
ANY_LENGTH = rt.TensorSpec([None], "float64")


def halves(x):
    while x > 1:
        yield x
        x = x / 2


def positive(x):
    for v in x:
        if v > 0:
            yield v


def several(x):
    yield from positive(x)
    yield -1.0
    yield from halves(x[0] + 40)
    return "unused"


def announced(x):
    try:
        for v in x:
            print("next", v)
            yield v
    finally:
        print("closed")


def early_return(x):
    total, count = 0.0, 0
    for v in several(x):
        count += 1
        if v > 20:
            return total, count, "early"
        total += v
    return total, count, "end"


def of_a_closure(x):
    def larger(bound):
        for v in x:
            if v > bound:
                yield v * bound
            else:
                yield

    total = 0.0
    for v in larger(2):
        if v is None:
            continue
        total += v
    return total


def over_numbers_in_a_loop(x):
    while x.sum() < 50:
        x = x + sum(np.roll(x, i + j) for i in (0, 1) for j in [0, 1] if (i, j) != (0, 0))
    return x


def kept_at_once(x):
    """Nothing but the generator itself runs in its `try` and `with`."""
    told = []

    def parts():
        try:
            with contextlib.suppress(ZeroDivisionError):
                for v in x:
                    yield v // 2, 6 // int(v - 4)
                told.append("no zero")
            yield x[0], x[1:][3]
        except IndexError as error:
            yield -1.0, len(str(error))
        finally:
            told.append(len(told))

    return list(parts()), sorted(parts()), dict(parts()), told


PROGRAMS = [early_return, of_a_closure, over_numbers_in_a_loop, kept_at_once]


@pytest.mark.parametrize("f", PROGRAMS)
def test_known_length(f):
    assert check(f, Call(X), Call(Y), Call(ONE))


@pytest.mark.parametrize("f", PROGRAMS)
def test_unknown_length(f):
    decorate = lambda g: rt.function(g, engine="numpy", input_signature=[ANY_LENGTH])
    assert check(f, Call(X), Call(Y), Call(ONE), engines=[decorate])


def pulled_twice(x):
    values = positive(x)
    return next(values, 0.0), next(values, 0.0)


def sends(x):
    def running():
        total = 0.0
        while total < x[0]:
            total += yield total

    for v in running():
        print(v)


def runs_over_itself(x):
    def down(v):
        if v > 1:
            yield from down(v / 2)
            yield v
            yield from down(v / 3)

    return list(down(x[0]))


def sliced_in_a_branch(x):
    values = positive(x)
    if x[0] > 0:
        print(list(itertools.islice(values, 2)))
    return x


def left_and_taken_up(x):
    values = positive(x)
    for v in values:
        if v > 2:
            break
    for v in values:
        print(v)


def yields_in_a_try(x):
    for v in announced(x):
        print(v)


def yields_in_a_with(x):
    def rows():
        with contextlib.nullcontext():
            yield from x

    return sum(rows())


def yields_in_a_try_of_another_one(x):
    def outer():
        yield from announced(x)

    return list(outer())


def computes_with_what_it_keeps(x):
    return list(6 // v for v in announced(x))


def uses_the_value_of_yield_from(x):
    def outer():
        kind = yield from halves(x[0])
        print(kind)

    return list(outer())


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (yields_in_a_try, "`announced` cannot be part of a graph: it yields inside a `try`"),
        (yields_in_a_with, "rows` cannot be part of a graph: it yields inside a `with`"),
        (yields_in_a_try_of_another_one, "`announced` cannot be part of a graph: it yields inside a `try`"),
        (computes_with_what_it_keeps, "`announced` cannot be part of a graph: it yields inside a `try`"),
        (uses_the_value_of_yield_from, "outer` cannot be part of a graph: the value of a `yield` is used"),
        (pulled_twice, "is advanced after a loop over it that may end early"),
        (sends, "`sends.<locals>.running` cannot be part of a graph: the value of a `yield` is used"),
        (runs_over_itself, "runs over itself where only a run knows how often"),
        (sliced_in_a_branch, "was made before is advanced under a staged condition"),
        (left_and_taken_up, "is advanced after a loop over it that may end early"),
    ],
)
def test_refused(f, words):
    with pytest.raises(StagingError) as caught:
        rt.function(f)(X)
    assert words in str(caught.value)
    assert caught.value.file == __file__
