"""Iterators advanced under staged conditions: counters, cycles, chains; and those from outside."""

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
def numbers_given_out(x):
    ids, seats = itertools.count(1), itertools.count(10, -2)
    taken = [(next(ids), next(seats)) if v > 0 else None for v in x]
    return taken, next(ids), next(seats)


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
def a_count_goes_on_where_a_loop_ended(x):
    numbers = itertools.count()
    for i in numbers:
        if i * i > x[0] + 10:
            break
    return i, next(numbers)


@PROGRAMS.of(*BOTH)
def turns_taken(x):
    colours, signs, nothing = itertools.cycle("rgb"), itertools.cycle([1, -1]), itertools.cycle(())
    total, names = np.float64(0), []
    for v in x:
        if v > 0:
            names.append(next(colours))
            total += v * next(signs) + next(nothing, 0.5)
    return total, names, next(colours), next(signs)


@PROGRAMS.of(*BOTH)
def a_chain_goes_on(x):
    numbers = itertools.chain([1, 2], range(7), (4, 3))
    total = 0
    for n in numbers:
        if n * x[0] > 3:
            break
        total += n
    return total, list(numbers)


@PROGRAMS.of(*BOTH)
def a_chain_of_arrays(x):
    both = itertools.chain(x, x[1:])
    if x[0] > 0:
        next(both)
    return next(both), list(both)


@PROGRAMS.of(*BOTH)
def pairs_of_a_dict(x):
    pairs, names = iter({"a": x[0], "b": x[1], "c": 0.0}.items()), iter({"a": 1, "b": 2})
    name, v = next(pairs)
    while v > 0:
        name, v = next(pairs)
    if v < -1:
        next(names)
    return name, v, list(pairs), list(names)


@PROGRAMS.of(*BOTH)
def values_as_they_are_when_they_are_taken(x):
    table = {"a": 1, "b": 2, "c": 3}
    values, pairs = iter(table.values()), iter(table.items())
    if x[0] > 0:
        next(values), next(pairs)
    table["b"], table["c"] = 7, x[1]
    return list(values), list(pairs)


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
    plain, pairs, doubled = iter(items), enumerate(items), map(lambda n: 2 * n, items)
    if x[0] > 0:
        for iterator in (plain, pairs, doubled):
            next(iterator)
    items.append(5)
    items[1] = 7
    return list(plain), list(pairs), list(doubled)


@PROGRAMS.of(*BOTH)
def a_list_that_grows_too_late(x):
    items = [1]
    iterator, found = iter(items), []
    if x[0] > 0:
        found.append(next(iterator))
    found += [next(iterator, None), next(iterator, None)]
    items += [2, 3]
    return found, next(iterator, "used up")


@PROGRAMS.of(*BOTH)
def from_its_end_while_it_grows(x):
    items = [1, 2, 3]
    backwards = reversed(items)
    if x[0] > 0:
        next(backwards)
    items.append(4)
    return list(backwards)


test_program = PROGRAMS.test()


@PROGRAMS.of(*BOTH)
def its_own_method_is_kept(x):
    numbers, doubled = iter(x).__next__, map(lambda v: v * 2, x).__next__
    out = []
    try:
        while len(out) < 7:
            out.append(numbers())
            if out[-1] > 1:
                out.append(doubled())
    except StopIteration:
        out.append(-9.0)
    return out, hasattr(iter(x), "__next__")


@PROGRAMS.of(*BOTH)
def without_end(x):
    numbers, again, more = itertools.count(1), itertools.cycle([1, 2]), itertools.count(3)
    if len(x) and x[0] > 0:
        next(numbers), next(again), next(more)
    counted = list(itertools.islice(enumerate(numbers), 3))
    beside = [(a, b) for a, b in zip(again, x)]
    return counted, beside, list(itertools.islice(map(abs, more), 2)), dict(zip("ab", itertools.count()))


def _refused(f, *args) -> str:
    with pytest.raises(StagingError) as caught:
        rt.function(f)(*args)
    return str(caught.value)


def test_changes_that_no_iterator_may_see() -> None:
    def of_a_dict(x):
        table = {"a": 1, "b": 2}
        names = iter(table)
        if x[0] > 0:
            next(names)
        table["c"] = 3
        return list(names)

    def of_keys(x):
        table = {"a": 1, "b": 2}
        names = iter(table)
        if x[0] > 0:
            next(names)
        table["a"] = table.pop("a")
        return list(names)

    def of_a_cycle(x):
        items = [1, -1]
        signs = itertools.cycle(items)
        if x[0] > 0:
            next(signs)
        items[0] = 5
        return next(signs)

    assert "this dict runs over has changed its length since it was made" in _refused(of_a_dict, UP)
    assert "the keys of what this dict runs over have changed since it was made" in _refused(of_keys, UP)
    assert "this cycle runs over a list that was changed since" in _refused(of_a_cycle, UP)


def test_items_of_different_kinds_in_a_chain() -> None:
    def mixed(x):
        items = itertools.chain([1, 2], x)
        if x[0] > 0:
            next(items)
        return list(items)

    assert "this chain has items of different kinds" in _refused(mixed, UP)


# -- from outside ------------------------------------------------------------------------------------

IDS = itertools.count(100)


class Job:
    ids = itertools.count()
    names = iter("abcdef")

    def __init__(self, size):
        self.number = next(Job.ids) if size > 0 else -1


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_each_run_advances_a_counter_from_outside(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "IDS", itertools.count(100))
    monkeypatch.setattr(Job, "ids", itertools.count())

    @rt.function(engine=engine)
    def numbers(x):
        return [next(IDS) for v in x if v > 0], [Job(v).number for v in x]

    assert numbers(UP) == ([100, 101], [0, -1, 1, -1])
    assert next(IDS) == 102
    assert numbers(UP) == ([103, 104], [2, -1, 3, -1])
    assert numbers(DOWN) == ([], [-1, -1])
    monkeypatch.setitem(globals(), "IDS", itertools.count(0, 5))
    assert numbers(UP)[0] == [0, 5]


@pytest.mark.parametrize(
    "advance",
    [
        lambda x: next(Job.names),
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
def test_no_trace_advances_an_iterator_from_outside(advance) -> None:
    before = repr(Job.ids), repr(IDS), Job.names.__length_hint__()
    assert "which a trace would advance once and for all" in _refused(advance, UP)
    assert (repr(Job.ids), repr(IDS), Job.names.__length_hint__()) == before


def test_an_iterator_that_is_only_handed_on() -> None:
    @rt.function
    def pick(x, items):
        return items if x[0] > 0 else None

    items = iter([1, 2])
    assert pick(UP, items) is items
    assert pick(DOWN, items) is None
    assert list(items) == [1, 2]
