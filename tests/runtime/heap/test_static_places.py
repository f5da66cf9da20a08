"""Attributes of objects from outside, globals, variables of closures and iterators, where paths meet.

Each is a fact of the same heap as what objects of the run hold: the same rules for `if`, loops, handlers
and recursion. What they hold after a call is compared as well.
"""

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
of, scenario = PROGRAMS.of, PROGRAMS.scenario

CALLS = [floats(1, -2, 3, 0.5, -0.5, 2.5), floats(-1, 2, -3), floats(2, 1, 2)]


@of(*CALLS)
def a_variable_is_deleted_and_set_again(x):
    y = 1.0

    def get():
        return y

    def put(v):
        nonlocal y
        y = v

    z = 0.0
    for v in x:
        z += get()
        if v > 1:
            put(v)
        elif v < -1:
            del y
            y = 7.0
    return z, y


@of(*CALLS)
def a_class_counts_its_instances(x):
    made = 0

    class Part:
        n = 0

        def __init__(self, v):
            nonlocal made
            made += 1
            Part.n += 1
            self.v = v

    part = None
    for v in x:
        if v > 0:
            part = Part(v)
    return made, Part.n, 0.0 if part is None else part.v


test_program = PROGRAMS.test()
