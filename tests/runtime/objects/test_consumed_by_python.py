"""Iterators of the user's classes that a call consumes: what ends them ends only them."""

import functools
import math
import operator
import statistics

import pytest

from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
COUNTS = (0,), (1,), (3,)


class Down:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n = self.n - 1
        return self.n


class Places:
    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError("no")
        return i


@PROGRAMS.of(*COUNTS)
def sets(n):
    s = set().union(Down(n))
    return s, {1}.issubset(Down(n)), {1}.isdisjoint(Places(n))


@PROGRAMS.of(*COUNTS)
def reduce_by_places(n):
    return functools.reduce(operator.add, Places(n)), math.prod(Down(n))


@PROGRAMS.of((0,), (2,))
def its_iterator_is_itself(n):
    v = Down(n)
    return iter(v) is v, list(iter(v)), next(v, "none")


@PROGRAMS.of((1,))
def no_iterator(n):
    class Wrong:
        def __iter__(self):
            return [n, 2]

    return [v for v in Wrong()]


test_program = PROGRAMS.test()


#: consumed by code that is not converted; refused where only a run knows when that ends
CONSUMERS = {
    "bytes": bytes,
    "bytearray": bytearray,
    "mean": statistics.mean,
    "countOf": lambda v: operator.countOf(v, 1),
    "indexOf": lambda v: operator.indexOf(v, 0),
}


@pytest.mark.parametrize("made", [Down, Places])
@pytest.mark.parametrize("name", CONSUMERS)
def test_other_consumers_are_right_or_refused(name, made) -> None:
    consume = CONSUMERS[name]
    check(lambda n: consume(made(n)), (3,), (0,), (1,), (5,), (2,), may_refuse=True)
