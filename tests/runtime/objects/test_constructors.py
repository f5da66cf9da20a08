"""Constructors that keep the object which they fill, under conditions too; classes made inside."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

X, DOWN = np.array([1.0, 2.0, 3.0]), np.array([-3.0, 0.5, -1.0])


class Kept:
    def __init__(self, value, register):
        if value > 1:
            self.kind = "big"
        else:
            self.kind, self.extra = "small", value
        register.append(self)
        self.late = value + 1


class Parent:
    def __init__(self, value):
        self.value = value
        self.child = Child(self)
        self.after = self.child.parent.value + 1


class Child:
    def __init__(self, parent):
        self.parent, parent.seen = parent, self
        self.twice = parent.value * 2


class Tree:
    def __init__(self, depth, x):
        self.value = x[0] * depth
        self.left = self.right = None
        if depth > 0:
            self.left, self.right = Tree(depth - 1, x), Tree(depth - 1, x)

    def total(self):
        return self.value + (0 if self.left is None else self.left.total() + self.right.total())


@of((X,), (DOWN,))
def kept_by_its_constructor(x):
    register, total = [], 0.0
    for i in range(len(x)):
        Kept(x[i], register)
    for one in register:
        total += one.late
        if one.kind == "small":
            total += one.extra
    return total, len(register)


@of((X,), (DOWN,))
def kept_under_a_condition(x):
    kept = []

    class Point:
        def __init__(self, v):
            self.v = v
            if v > 1:
                kept.append(self)
            self.twice = v * 2

    for v in x:
        Point(v)
    return [(point.v, point.twice) for point in kept]


@of((X,), (DOWN,))
def two_that_know_each_other(x):
    parent = Parent(x[0])
    return parent.after, parent.seen is parent.child, parent.child.twice, parent.child.parent is parent


@of((X, 2), (DOWN, 0), (X, 3))
def constructors_that_call_themselves(x, depth):
    return Tree(depth, x).total()


@of((X, 1), (X, 2), (X, 0), (X, 7))
def raised_and_caught(x, n):
    class Wrong(Exception):
        def __init__(self, value):
            super().__init__(value)
            self.value = value
            if value > 2:
                self.more = value * 2

    made = Wrong(x[0])
    try:
        made.value // n
        raise Wrong(x[n])
    except Wrong as error:
        return error.value, hasattr(error, "more"), error is made
    except (IndexError, ZeroDivisionError):
        return -1.0, made.value


@of((X,), (DOWN,))
def of_a_class_made_inside_one_is_chosen(x):
    class Node:
        def __init__(self, value, rest):
            self.value, self.rest = value, rest

        def twice(self):
            return self.value * 2

    head = None
    for v in x:
        if v > 0:
            head = Node(v, head)
    best = head
    while head is not None:
        if head.twice() > best.twice():
            best = head
        head = head.rest
    return None if best is None else best.value


class Raising:
    def __init__(self, value):
        self.value = value
        raise KeyError("never made")


@of((X,), (DOWN,))
def a_constructor_that_raises_before_a_loop(x):
    caught, k = 0, x[0]
    if x[0] > 0:
        try:
            Raising(k)
        except KeyError:
            caught += 1
    while k > 0:
        k -= 1
    return caught, k


test_program = PROGRAMS.test()
