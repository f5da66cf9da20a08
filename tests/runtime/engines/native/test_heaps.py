"""Heaps in machine code: items lie where `heapq` puts them, and what does not decide is left to it."""

import heapq
import random
import sys

import pytest

import runtime as rt
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
    """First parts that are equal do not decide."""
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
