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


test_program = PROGRAMS.test()
