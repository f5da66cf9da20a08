"""Operators of objects follow Python's rules, with the methods of the user's classes converted."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()

X = np.array([3.0, -1.0, 2.0, 0.5, -4.0])


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __truediv__(self, factor):
        return Vector(self.x / factor, self.y / factor)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __eq__(self, other):
        return isinstance(other, Vector) and self.x == other.x and self.y == other.y


@PROGRAMS.of(X)
def one_of_two_numbers_beside_it(x):
    factor = 2.0
    if x[0] > 0:
        factor = x[1]  # of NumPy
    made = factor * (Vector(x[2], x[3]) / factor)
    return made.x, sum([made, made], Vector(0.0, x[0])).x


@PROGRAMS.of(X)
def neither_knows_the_other(x):
    try:
        made = Vector(x[0], x[1]) + x[2]
    except TypeError as error:
        return str(error)
    return made


of = PROGRAMS.of

CALLS = [(np.array(values),) for values in ([1.0, -2.0, 3.0], [-1.0, 2.0, 4.0], [2.0, 2.0, 2.0])]


class Pair:
    def __init__(self, p, q):
        self.p, self.q = p, q

    def __eq__(self, other):
        if not isinstance(other, Pair):
            return NotImplemented
        return self.p == other.p and self.q == other.q


class Named(Pair):
    pass


class Plain:
    pass


class Derived(Plain):
    pass


@of(*CALLS)
def one_of_two_classes(x):
    a = Pair(x[0], x[1]) if x[0] > 0 else Named(x[1], x[0])
    b = Pair(x[1], x[0])
    return a != b, a != 3, b != a, a == "a"


@of(*CALLS)
def by_identity(x):
    a, b = Plain(), Derived()
    c = a if x[0] > 0 else b
    return c != a, c == b, a != b, b != b


test_program = PROGRAMS.test()
