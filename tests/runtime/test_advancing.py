"""Iterators advanced under staged conditions, and those from outside."""

import itertools

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
UP, DOWN = np.array([1.0, -2.0, 3.0, -4.0]), np.array([-1.0, -2.0])
BOTH = ((UP,), (DOWN,))


def first_of(p):
    items = iter(np.arange(4.0) * p)
    try:
        print(next(items))
    except StopIteration:
        print("over")
    return np.float64(1.5)


@PROGRAMS.of(*BOTH)
def an_iterator_made_in_each_turn(x):
    """Its place is no state of the loop. (Random program 11019292.)"""
    found, n = x[0], x[0] + 3
    i = 0
    while i < 5 and n > 2:
        i += 1
        for j in range(1, int(n) % 6):
            found = max(found, first_of(j))
    return found, len([v for v in x if v > first_of(0)])


@PROGRAMS.of(*BOTH)
def loops_over_one_iterator_within_each_other(x):
    numbers, total = iter(range(10)), 0
    for a in numbers:
        for b in numbers:
            if b * x[0] > 3:
                break
            total += a * b
    return total


@PROGRAMS.of(*BOTH)
def a_list_that_grows_meanwhile(x):
    items = [1, 2, 3]
    plain, pairs = iter(items), enumerate(items)
    if x[0] > 0:
        for iterator in (plain, pairs):
            next(iterator)
    items.append(5)
    items[1] = 7
    return list(plain), list(pairs)


@PROGRAMS.of(*BOTH)
def a_list_that_grows_too_late(x):
    items = [1]
    iterator, found = iter(items), []
    if x[0] > 0:
        found.append(next(iterator))
    found += [next(iterator, None), next(iterator, None)]
    items += [2, 3]
    return found, next(iterator, "used up")


test_program = PROGRAMS.test()


def _refused(f, *args):
    with pytest.raises(StagingError) as caught:
        rt.function(f)(*args)
    return str(caught.value)


def next_where_positive(make):
    def f(x):
        items = make(x)
        return [next(items) if v > 0 else 0 for v in x]

    return f


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda x: itertools.count(), "count"),
        (lambda x: itertools.cycle("rgb"), "cycle"),
        (lambda x: itertools.chain([1, 2], x), "chain"),
        (lambda x: map(abs, x), "map"),
    ],
)
def test_other_iterators_are_not_advanced_under_a_condition(make, kind):
    words = f"a {kind} that was made before is advanced under a staged condition"
    assert words in _refused(next_where_positive(make), UP)


def test_a_list_that_a_reversed_or_zip_runs_over_keeps_its_length():
    def backwards(x):
        items = [1, 2, 3]
        iterator = reversed(items)
        if x[0] > 0:
            next(iterator)
        items.append(4)
        return list(iterator)

    def pairs(x):
        items = [1, 2, 3]
        iterator = zip(items, items)
        if x[0] > 0:
            next(iterator)
        items.append(4)
        return list(iterator)

    for f in (backwards, pairs):
        assert "has changed its length since" in _refused(f, UP)


# -- from outside ------------------------------------------------------------------------------------

IDS = itertools.count(100)


class Job:
    ids = itertools.count()
    names = iter("abcdef")

    def __init__(self, size):
        self.number = next(Job.ids) if size > 0 else -1


@pytest.mark.parametrize(
    "advance",
    [
        lambda x: next(Job.names),
        lambda x: next(IDS),
        lambda x: Job(1).number,
        lambda x: list(zip(Job.names, x)),
        lambda x: list(zip(IDS, x)),
        lambda x: [name for name in Job.names],
        lambda x: "a" in Job.names,
        lambda x: sorted(Job.names),
        lambda x: [*Job.names],
        lambda x: sum(itertools.islice(Job.ids, 3)) + x[0],
        lambda x, items=iter([1, 2, 3]): max(items) + x[0],
    ],
)
def test_no_trace_advances_an_iterator_from_outside(advance):
    before = repr(Job.ids), repr(IDS), Job.names.__length_hint__()
    assert "which a trace would advance once and for all" in _refused(advance, UP)
    assert (repr(Job.ids), repr(IDS), Job.names.__length_hint__()) == before
