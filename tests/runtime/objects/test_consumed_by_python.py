"""Iterators of the user's classes that a call consumes: what ends them ends only them."""

import collections
import functools
import itertools
import math
import operator
import statistics

import pytest

from runtime import function
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
def generator_expressions(n):
    found = any(t == 1 for t in Places(n)), all(t < 3 for t in Places(n)), sum(t for t in Places(n))
    return found, list(t + 1 for t in Places(n)), max((v for v in Places(n)), default=0)


@PROGRAMS.of(*COUNTS)
def dicts(n):
    made = dict.fromkeys(Down(n)), dict.fromkeys(Places(n), 1)
    return made, collections.OrderedDict.fromkeys(Down(n))


@PROGRAMS.of(*COUNTS)
def iterators_of_iterators(n):
    return list(itertools.chain.from_iterable([Down(n), Places(n)]))


@PROGRAMS.of(*COUNTS)
def sets(n):
    s = set().union(Down(n))
    return s, {1}.issubset(Down(n)), {1}.isdisjoint(Places(n))


@PROGRAMS.of(*COUNTS)
def reduce(n):
    return functools.reduce(operator.add, Down(n), 5)


@PROGRAMS.of(*COUNTS)
def reduce_without_a_start(n):
    return functools.reduce(operator.add, Down(n))


@PROGRAMS.of(*COUNTS)
def reduce_by_places(n):
    return functools.reduce(operator.add, Places(n)), math.prod(Down(n))


@PROGRAMS.of((1,), (3,))
def its_iterator_is_asked_for_once(n):
    asked = [0]

    class Known:
        def __iter__(self):
            asked[0] += 1
            return iter([1, 2, n])

    return functools.reduce(operator.add, Known()), asked[0]


@PROGRAMS.of((1, 2), (2, 1))
def reduce_by_an_object(n, m):
    class Add:
        def __call__(self, a, b):
            if a > b:
                return a + b
            return a - b

    return functools.reduce(Add(), [n, m, 3])


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


@PROGRAMS.of((1,), (5,))
def contains(n):
    return operator.contains(Down(n), 1), operator.contains([1, n], 5)


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


@pytest.mark.parametrize("made", [Down, Places])
def test_items_for_a_slice_are_right_or_refused(made) -> None:
    def assigned(n):
        items = [1, 2, 3]
        items[1:2] = made(n)
        return items

    check(assigned, (3,), (0,), (1,), (5,), (2,), may_refuse=True)


def test_bytes_of_what_a_class_gives() -> None:
    def consumed(n):
        return bytes(Down(n))

    assert function(consumed)(3) == consumed(3) == b"\x02\x01\x00"
