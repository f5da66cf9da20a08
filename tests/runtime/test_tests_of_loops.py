"""`while` loops whose test changes something each time it is asked: a counter, an object, a list."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
ITEMS = ([1.0, 3.0, 9.0], 2), ([-1.0, 3.0, 9.0], 6), ([1.0, 1.0, 9.0], 3), ([-1.0, 1.0, 1.0], 3)
case = PROGRAMS.of(*[(np.array(items), n) for items, n in ITEMS])


class Source:
    def __init__(self, x):
        self.x = x
        self.i = 0

    def is_small(self, limit):
        self.i += 1
        return self.x[self.i % 3] < limit


@case
def a_dict_of_a_closure(x, n):
    table = {"k": 0}

    def count():
        table["k"] += 1
        return x[(n + table["k"]) % 3] < 5

    while count():
        x[0] += 1
    return table


@case
def an_object(x, n):
    source = Source(x)
    while source.is_small(n):
        x[1] += 1
        if x[1] > 20:
            break
    else:
        return -1, source.i
    return -2, source.i


@case
def a_list_that_gets_shorter(x, n):
    stack = [n]
    t = x[0]
    while stack and stack.pop() > x[0]:
        t += 1
        if t < 5:
            stack.append(t)
    return t, stack


@case
def a_list_made_in_the_test(x, n):
    i = 0
    while i < 3 and sum([v * v for v in x]) < 300.0:
        x[i] += 5
        i += 1
    return i


test_program = PROGRAMS.test()
