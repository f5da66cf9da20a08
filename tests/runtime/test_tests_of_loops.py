"""`while` loops whose test changes something each time it is asked: a counter, an object, a list."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
ITEMS = ([1.0, 3.0, 9.0], 2), ([-1.0, 3.0, 9.0], 6), ([1.0, 1.0, 9.0], 3), ([-1.0, 1.0, 1.0], 3)
case = PROGRAMS.of(*[(np.array(items), n) for items, n in ITEMS])


@case
def a_list_that_gets_shorter(x, n):
    stack = [n]
    t = x[0]
    while stack and stack.pop() > x[0]:
        t += 1
        if t < 5:
            stack.append(t)
    return t, stack


test_program = PROGRAMS.test()
