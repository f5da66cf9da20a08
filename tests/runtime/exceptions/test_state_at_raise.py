"""What a handler sees of objects, dicts, globals and variables around: what they hold where the body raised.

A loop in the body has changed them in earlier iterations, a handler in it was handed what its own body left.
"""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array([1.0, 3.0, 9.0]), n) for n in (2, 0, -3, 5)]
case = PROGRAMS.of(*CALLS)


class Box:
    def __init__(self):
        self.v = 0.0


SHARED = Box()
counted = 0


@case
def an_object_from_outside_changed_in_a_while(x, n):
    SHARED.v = 0.0
    i = n
    try:
        while True:
            x[i] += 1
            SHARED.v += 1.0
            i += 1
    except IndexError:
        SHARED.v += 1000.0
    return SHARED.v


@case
def a_dict_changed_in_a_loop_whose_test_raises(x, n):
    table = {"k": 0}
    i = n
    try:
        while x[i] < 10:
            table["k"] += 1
            i += 1
    except IndexError:
        table["k"] += 100
    return table


@case
def a_global_changed_in_a_loop(x, n):
    global counted
    counted = 0
    try:
        for i in range(n, n + 5):
            x[i] += 1
            counted += 1
    except IndexError:
        counted += 1000
    return counted


test_program = PROGRAMS.test()
