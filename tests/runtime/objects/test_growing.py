"""Lists and dicts from outside that grow between calls: no trace for each length."""

import pytest

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def grow_objects(function):
    class P:
        def __init__(self, x):
            self.x = x

    ps = []

    @function
    def f(dt):
        for p in ps:
            p.x += dt
        t = 0.0
        for p in ps:
            if p.x > 1:
                t += p.x
        return t

    r = []
    for k in range(8):
        r.append(f(0.5))
        ps.append(P(float(k)))
    return r, [p.x for p in ps]


test_program = PROGRAMS.test()


def traces_of(program):
    functions = []

    def decorate(function):
        functions.append(rt.function(function))
        return functions[-1]

    program(decorate)
    return [function.trace_count for function in functions]


@pytest.mark.parametrize("program", [grow_objects])
def test_the_third_length_is_the_last_trace(program):
    assert traces_of(program) == [3]
