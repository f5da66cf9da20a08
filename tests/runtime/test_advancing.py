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
