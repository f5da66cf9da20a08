"""Heaps in machine code: items lie where `heapq` puts them; what cannot be compared there is left to it."""

import heapq
import random
import sys
from typing import NamedTuple

import pytest

import runtime as rt
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
NAN = float("nan")


def numbers(n, kind=float):
    source = random.Random(n)
    return [kind(source.randrange(n)) for _ in range(n)]


@PROGRAMS.of(
    (numbers(40), 40), (numbers(40, int), 35), (numbers(50, bool), 50), ([2**62, -(2**62), 5] * 20, 60),
    ([1.0, NAN, -0.0, 0.0, float("inf")] * 10, 50), ([1, 2.5, True] * 20, 60), ([1.5] * 40, 41),
)  # fmt: skip
def pushed_and_popped(xs, n):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
    states = [heap.copy()]
    for k in range(n):
        smallest = heapq.heappop(heap)
        if k % 3:
            heapq.heappush(heap, smallest)
        states.append(heap.copy())
    return states, heap


@PROGRAMS.of((numbers(40), 40), (numbers(60, int), 60), (numbers(40), 41))
def tuples(xs, n):
    """Where first parts are equal, the next ones decide."""
    heap = []
    for k, x in enumerate(xs):
        heapq.heappush(heap, (x, k))
    found = []
    for _ in range(n):
        x, k = heapq.heappop(heap)
        found.append((x, k, len(heap)))
        if k % 2:
            heapq.heappush(heap, (x + 1, k - 1))
    return found, heap


@PROGRAMS.of((3, 100), (1, 1), (20, 400))
def shortest_ways(n, most):
    """Dijkstra's algorithm on a ring with chords."""
    far = [most] * n
    far[0] = 0
    waiting = [(0, 0)]
    while waiting:
        way, here = heapq.heappop(waiting)
        if way > far[here]:
            continue
        for step in (1, 2, 5):
            there = (here + step) % n
            longer = way + step * step + here % 3
            if longer < far[there]:
                far[there] = longer
                heapq.heappush(waiting, (longer, there))
    return far


@PROGRAMS.of((numbers(40), ["a", "b"] * 20), (numbers(40), ["b"] * 40))
def tuples_with_texts(xs, names):
    heap = []
    for k in range(len(xs)):
        heapq.heappush(heap, (xs[k], names[k]))
    found = []
    while heap:
        found.append(heapq.heappop(heap))
    return found


class Job(NamedTuple):
    urgency: int
    name: str


class Backwards(Job):
    def __lt__(self, other):
        return self.urgency > other.urgency


class Thing:
    """Compared by its number, where that is not 13."""

    def __init__(self, number):
        self.number = number

    def __lt__(self, other):
        if 13 in (self.number, other.number):
            return NotImplemented
        return self.number < other.number


def pushed_and_popped_pairs(pairs):
    heap = []
    for pair in pairs:
        heapq.heappush(heap, pair)
    found = []
    while heap:
        found.append(heapq.heappop(heap))
    return found


def mixed(values, n):
    source = random.Random(n)
    return [(source.choice(values), k % 3, source.choice(values)) for k in range(n)]


#: equal items that are one object, or are not; numbers of several kinds; what only Python compares
PAIRS = {
    "ints": mixed([1, 2, -(2**40)], 40),
    "large ints": mixed([2**62, -(2**63), 2**63 - 1], 40),
    "zeros": mixed([0.0, -0.0, 1.5], 40),
    "NaN": mixed([NAN, float("nan"), 1.5], 60),
    "ints and floats": mixed([1, 1.0, 2.5, 0], 40),
    "ints that are not floats": mixed([2**53 + 1, float(2**53), 2**62], 40),
    "texts": mixed(["a", "b", "", "ä", "a\0", "\U0001f600", "ab"], 40),
    "texts and ints": mixed(["a", 1], 20),
    "tuples in tuples": mixed([(1, 2), (1, 1), (0, 5)], 20),
    "None": mixed([None], 20),
    "None and ints": mixed([None, 1], 20),
    "of different lengths": [(1, 2), (1,), (1, 2, 3), (0, 5), (1, 2)],
    "named": [Job(k * 7 % 5, f"job {k}") for k in range(20)],
    "of another order": [Backwards(k * 7 % 5, f"job {k}") for k in range(20)],
    "not tuples": ["b", "a", "c", "a"],
    "objects": [(k % 2, Thing(k % 3)) for k in range(8)],
    "not comparable": [(k % 2, Thing(k)) for k in (1, 2, 13, 3)],
}


@pytest.mark.parametrize("name", PAIRS)
def test_order_of_tuples(name):
    check(pushed_and_popped_pairs, (PAIRS[name],))


@PROGRAMS.of((mixed([3, 1], 40),), (mixed([2.5, 1.5], 40),), ([(1, 0, 1.5), (1.5, 0, 1), (1, 0, 1)] * 4,))
def merged(rows):
    """A heap that begins with ints, and gets what items are made of."""
    heap = [(0, 0, 0)]
    for a, b, c in rows:
        heapq.heappush(heap, (a, b, c))
        heapq.heappush(heap, (1, c, "end"[b]))
    found = []
    while heap:
        found.append(heapq.heappop(heap))
    return found


test_program = PROGRAMS.test()


def texts_in_order(names, n):
    heap = []
    for k in range(n):
        heapq.heappush(heap, (k * 7 % 5 + 0.5, names[k]))
    found = []
    for _ in range(n):
        found.append(heapq.heappop(heap)[1])
    heapq.heappop(heap)
    return found


def test_reference_counts():
    names = [f"name {k}" for k in range(40)]
    compiled = rt.function(texts_in_order, engine="native")

    def call(n):
        with pytest.raises(IndexError):
            compiled(names, n)

    call(30)
    call(41)
    before = [sys.getrefcount(name) for name in names]
    for n in (40, 1, 0, 17, 41):
        call(n)
    assert [sys.getrefcount(name) for name in names] == before


def test_what_is_machine_code():
    @rt.function(engine="native")
    def smallest(xs):
        heap = []
        for x in xs:
            heapq.heappush(heap, x)
        return heapq.heappop(heap)

    assert smallest(numbers(40)) == min(numbers(40))
    program = smallest.concrete_functions[0].compiled.executable.loops
    assert "call" not in program


def test_no_kernel_compares_tuples():
    """An item that `heapq` compared would count references in Python, item by item."""
    compiled = rt.function(tuples, engine="native")
    compiled(numbers(40), 40)
    text = compiled.concrete_functions[0].compiled.executable.llvm
    assert "@objects.order" in text
