"""Objects that a function makes: chosen by a condition, replaced in a loop, with one name or several."""

import dataclasses

import numpy as np

from tests.features.registry import floats
from tests.semantics.cases import case

X, Y = floats(3, -1, 4), floats(-2, 7, -1)
LONG = np.linspace(-3, 5, 40)


@dataclasses.dataclass(frozen=True)
class Vector:
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    @property
    def square(self):
        return self.x * self.x + self.y * self.y


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r * self.r


class Square:
    def __init__(self, w):
        self.w = w

    def area(self):
        return self.w * self.w


class Node:
    def __init__(self, value, following=None):
        self.value, self.following = value, following


@case(X, LONG, -LONG)
def vectors_are_added_in_a_loop(x):
    total = Vector(0.0, 0.0)
    for v in x:
        total = total + Vector(v, 1.0)
    return total, total.square


@case(X, Y)
def a_vector_is_the_state_of_a_while_loop(x):
    at, steps = Vector(0.0, 0.0), 0
    while at.square < 20 and steps < 50:
        at = (at + Vector(x[steps % 3] ** 2, 1.0)) * 1.1
        steps += 1
    return at, steps


@case(LONG, -LONG)
def an_object_is_replaced_or_changed_in_a_loop(x):
    p = Slotted(x[0], 0)
    for v in x:
        if v > 0:
            p = Slotted(p.b, v)
        p.a = p.a + 1
    return p


@case(X, Y)
def methods_of_a_chosen_object(x):
    shape = Circle(x[0]) if x[0] > 0 else Square(x[0])
    return shape.area(), shape


@case(LONG, -LONG)
def methods_of_the_last_object(x):
    total, shape = np.float64(0), Circle(1.0)
    for v in x:
        shape = Circle(v) if v > 0 else Square(v)
        total = total + shape.area()
    return total, shape


@case(LONG, -LONG, floats(0, 1, 2))
def the_best_so_far_or_none(x):
    best = None
    for v in x:
        if v > 3 and (best is None or v > best.value):
            best = Node(v)
    return best


@case(X, Y, LONG)
def one_of_two_names_is_given_another_object(x):
    p = Point(x[0], x[1])
    q = p
    for v in x:
        if v > 3:
            p = Point(v, v)
        p.x = p.x + 1
    return q.x, p.x, q is p


@case(X, Y)
def a_chosen_object_is_changed(x):
    a, b = Point(x[0], 1), Point(x[1], 2)
    p = a if x[0] > 0 else b
    p.x = 55.0
    return a.x, b.x, p.x, p is a, p


@case(LONG)
def two_objects_are_exchanged_in_a_loop(x):
    a, b = Point(0.0, 1), Point(0.0, 2)
    for v in x:
        if v > 0:
            a, b = b, a
        a.x = a.x + v
    return a, b


class Inner:
    def __init__(self, v):
        self.low = self.high = v


class Outer:
    def __init__(self, v):
        self.inner = Inner(v)


@case(X)
def an_object_in_an_object(x):
    c = Outer(x[0])
    for v in x:
        if v > c.inner.high:
            c = Outer(v)
        c.inner.low = c.inner.low + 1
    return c.inner.low, c.inner.high


class Counter:
    def __init__(self, v):
        self.v = v

    def step(self, d):
        if d > 0:
            return Counter(self.v + d)
        return self


@case(X, Y)
def a_method_that_returns_itself_or_another(x):
    c = Counter(0.0)
    for v in x:
        c = c.step(v)
    return c.v


@case(X, Y)  # from Python 3.13 on `==` gives what the last comparison gives
def dataclasses_are_compared(x):
    a, b = Vector(x[0], 1.0), Vector(x[1], 1.0)
    return a == b, a != b, a == Vector(x[0], 1.0)


@case((X, np.int64(1)), (X, np.int64(7)))
def an_object_made_in_a_try(x, i):
    try:
        p = Point(x[i], x[0])
    except IndexError:
        p = Point(x[0], x[0])
    return p


@case(X, LONG, -LONG)
def objects_in_a_tuple_are_exchanged(x):
    pair = (Point(x[0], 0.0), Point(x[1], 0.0))
    for v in x:
        if v > 0:
            pair = (pair[1], pair[0])
        pair[0].x = pair[0].x + v
    return pair
