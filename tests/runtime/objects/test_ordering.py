"""Objects that say what comes first: sorted, min, max, heaps; a method with an effect is refused."""

import dataclasses
import functools
import heapq

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.long import some
from tests.programs import Programs

PROGRAMS = Programs()
X, ONE, NONE = np.array([3.0, -1.0, 2.0, 0.5, -4.0]), np.array([1.0]), np.zeros(0)


class Shape:
    def __init__(self, size):
        self.size = size

    def area(self):
        return self.size * self.size

    def __lt__(self, other):
        return self.area() < other.area()


class Circle(Shape):
    def area(self):
        return 3 * self.size * self.size


@dataclasses.dataclass(order=True)
class Task:
    priority: float
    name: str = dataclasses.field(compare=False, default="")


@functools.total_ordering
class Version:
    def __init__(self, major, minor):
        self.major, self.minor = major, minor

    def __eq__(self, other):
        return (self.major, self.minor) == (other.major, other.minor)

    def __lt__(self, other):
        return (self.major, self.minor) < (other.major, other.minor)


@PROGRAMS.of((1.0, 2.0), (3.0, 2.0), (np.float64(2.0), 2.0))
def of_two(a, b):
    return min(Shape(a), Circle(b)).size, max([Circle(a), Shape(b)]).size


@PROGRAMS.of(X, ONE, NONE)
def a_heap(x):
    heap = []
    for v in x:
        heapq.heappush(heap, Task(v))
    return [heapq.heappop(heap).priority for _ in range(len(heap))]


test_ordering = PROGRAMS.test()

compared = 0


class Counted(Shape):
    def __lt__(self, other):
        global compared
        compared += 1
        return self.size < other.size


class Printing(Shape):
    def __lt__(self, other):
        print("compared")
        return self.size < other.size


class Remembering(Shape):
    def __lt__(self, other):
        self.last = other.size
        return self.size < other.size


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("cls", [Counted, Printing, Remembering])
def test_a_comparison_with_an_effect_is_refused_where_a_run_makes_it(cls, engine):
    @rt.function(engine=engine)
    def pushed(x):
        heap = []
        for v in x:
            heapq.heappush(heap, cls(v))
        return len(heap), compared

    with pytest.raises(StagingError, match=r"__lt__` has an effect"):
        pushed(X)


def larger_first(a, b):
    return -1 if a > b else (1 if a < b else 0)


outside_key = functools.cmp_to_key(larger_first)


def test_sorts_by_a_comparison_function_are_refused():
    def made_inside(x):
        return sorted(x, key=functools.cmp_to_key(larger_first))

    def made_outside(x):
        kept = [v for v in x if v > 0]
        kept.sort(key=outside_key)
        return kept, max(x, key=outside_key)

    for f in (made_inside, made_outside):
        with pytest.raises(StagingError, match="`functools.cmp_to_key` is not staged"):
            rt.function(f)(X)
