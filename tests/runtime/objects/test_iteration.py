"""Loops over objects of a class: `__iter__`, `__next__`, `__getitem__`, and what iterates behind a call."""

import functools

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
X, ONE, NONE = np.array([3.0, -1.0, 2.0, 0.5, -4.0]), np.array([1.0]), np.zeros(0)


class Bag:
    def __init__(self, x):
        self.items = []
        for v in x:
            if v != 2:
                self.items.append(v)

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


class Backwards(Bag):
    def __iter__(self):
        return reversed(self.items)


class Positive(Bag):
    def __iter__(self):
        for v in self.items:
            if v > 0:
                yield v


class ByPlace:
    def __init__(self, x):
        self.items = [v for v in x if v > 0]

    def __getitem__(self, place):
        return self.items[place]


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n = self.n - 1
        return self.n


@PROGRAMS.of(X, ONE, NONE)
def all_that_iterates(x):
    bag = Bag(x)
    return (
        list(bag),
        tuple(bag),
        sorted(bag),
        [v * 2 for v in bag],
        max(bag, default=None),
        3.0 in bag,
        len(bag),
    )


@PROGRAMS.of(X, ONE, NONE)
def reversed_items(x):
    bag = Backwards(x)
    return list(bag), [v * 2 for v in bag], list(zip(bag, [1, 2]))


@PROGRAMS.of(X, ONE, NONE)
def a_generator_method(x):
    bag = Positive(x)
    return list(bag), any(v > 2 for v in bag), dict(enumerate(bag)), 3.0 in bag, 5.0 not in bag, [*bag, 1.0]


@PROGRAMS.of(X, ONE, NONE)
def by_place(x):
    return list(ByPlace(x)), [v for v in ByPlace(x) if v > 1]


@PROGRAMS.of(4, 0)
def two_at_once(n):
    return list(zip(Countdown(n), Countdown(n + 1))), max(Countdown(n), default=-1)


@PROGRAMS.of(X, ONE, NONE)
def unpacked(x):
    first, *rest = [0.0, *Bag(x)]
    a, *b = Bag(np.append(x, 1.0))
    return first, rest, a, b


@PROGRAMS.of(X, ONE)
def a_generator_over_a_display_in_a_branch(x):
    found = []
    for v in x:
        if v > 0:
            found.append([w * 2 for w in (v, v + 1)])
            found.append([sum(w * 2 for w in (v, v + 1) if w > 1.5)])
    return len(found)


class Row:
    def __init__(self, v):
        self.v = v

    def __iter__(self):
        yield self.v

    def __add__(self, other):
        return Row(self.v + other.v)


@PROGRAMS.of(X)
def a_start_that_could_be_iterated_over(x):
    rows = [Row(x[0]), Row(x[1])]
    first = sum(rows, Row(x[2])).v
    second = functools.reduce(lambda a, b: a + b, rows, Row(1.0)).v
    made = dict.fromkeys([1, 2], rows[0])
    return first, second, made[2].v


test_iteration = PROGRAMS.test()
