"""Recursion that changes attributes, globals, lists and variables around it."""

import numpy as np

from tests.differential import check
from tests.programs import Programs

I, F = np.int64, np.float64

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


class Counter:
    def __init__(self):
        self.count = 0
        self.best = F(0.0)

    def visit(self, n):
        self.count += 1
        if n > 0:
            self.visit(n - 1)
            if n > 2:
                self.visit(n - 2)


@scenario
def attributes_in_a_loop(function):
    counter = Counter()

    @function
    def f(n):
        for i in range(n):
            counter.visit(i)
        return counter.count

    return f(I(4)), counter.count, f(I(2)), counter.count


@scenario
def attributes_changed_in_a_loop(function):
    counter = Counter()

    def above_best(n):
        return counter.best if n <= 0 else above_best(n - 1) + 1

    @function
    def f(n):
        total = 0.0
        for i in range(n):
            counter.best = counter.best + i
            total += above_best(i)
        return total

    return f(I(4)), counter.best, f(I(5)), counter.best


LARGEST = F(0.0)
VALUES = np.array([3.0, 5.0, 1.0])


def find_largest(i):
    global LARGEST
    if i >= len(VALUES):
        return
    if VALUES[i] > LARGEST:
        LARGEST = VALUES[i]
    find_largest(i + 1)


@scenario
def globals_(function):
    @function
    def f(i):
        find_largest(i)
        return LARGEST

    return f(I(1)), f(I(0))


@scenario
def variables(function):
    @function
    def f(n):
        total, depth = 0.0, 0

        def go(k):
            nonlocal total, depth
            depth += 1
            if k > 0:
                total = total + k
                go(k - 1)
            depth -= 1

        go(n)
        first = total
        total = 100.0
        go(n + 1)
        return first, total, depth

    return f(I(3)), f(I(0))


@scenario
def items_of_a_list(function):
    def work(xs, n):
        xs[0] = xs[0] + n
        if n > 0:
            work(xs, n - 1)

    @function
    def f(n):
        xs = [0, 1]
        work(xs, n)
        return xs

    return f(I(3)), f(I(0))


test_what_changes_around_a_recursion = PROGRAMS.test()


def test_a_variable_that_methods_of_a_class_and_functions_in_a_set_change():
    def program(x):
        n = 0.0

        def add():
            nonlocal n
            n = n + 1

        class Caller:
            def __call__(self):
                add()

        caller = Caller()

        def walk(k, functions):
            if k > 0:
                caller()
                for f in functions:
                    f()
                return n + walk(k - 1, functions)
            return n

        first = walk(x, frozenset([add]))
        add()
        return first, walk(x, frozenset([add])), n

    assert check(program, (I(3),), (I(0),))
