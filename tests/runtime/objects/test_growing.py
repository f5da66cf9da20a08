"""Lists and dicts from outside that grow between calls: no trace for each length."""

import numpy as np
import pytest

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def grow(function):
    xs = [1.0]

    @function
    def f(x):
        t = 0.0
        for v in xs:
            if v > x:
                t += v
        return t, len(xs), xs[-1], max(xs), sum(xs)

    r = []
    for k in range(12):
        r.append(f(0.5 * k))
        xs.append(float(k))
    return r


@scenario
def grow_append(function):
    log = []

    @function
    def f(x):
        log.append(x)
        return len(log)

    return [f(float(k)) for k in range(12)], log


@scenario
def grow_attr(function):
    class H:
        def __init__(self):
            self.hist = []
            self.names = {}

        def add(self, x, n):
            self.hist.append(x)
            self.names[n] = x
            if len(self.hist) > 3 and self.hist[-1] > self.hist[-2]:
                return self.hist[-1] - self.hist[-2]
            return 0.0

    h = H()

    @function
    def f(x, n):
        return h.add(x, n)

    return [f(float(k % 5), "ab"[k % 2]) for k in range(12)], h.hist, h.names


@scenario
def grow_index(function):
    xs = [1.0]

    @function
    def f(x):
        w = np.zeros(len(xs))
        for i in range(len(xs)):
            w[i] = xs[i] * x
        return w, [v * 2 for v in xs], sorted(xs)[0], xs[:2]

    r = []
    for k in range(6):
        r.append(f(0.5 * k))
        xs.append(float(-k))
    return r


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


@pytest.mark.parametrize("program", [grow, grow_append, grow_index, grow_objects])
def test_the_third_length_is_the_last_trace(program):
    assert traces_of(program) == [3]
