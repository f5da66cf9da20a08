"""`sum` of floats is that of the Python that runs: from 3.12 on it keeps what rounding loses."""

import math

import numpy as np

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
case = PROGRAMS.of
LOST = [0.1] * 10 + [1e16, 1.0, -1e16]
CALLS = [
    (LOST,),
    (tuple(LOST),),
    (LOST * 5,),
    ([],),
    ([math.inf, 1.0],),
    ([1e308, 1e308, -1e308],),
    ([-0.0],),
    (np.array(LOST),),
]


@case(*CALLS)
def of_what_is_given(xs):
    return sum(xs), sum(xs, 0.5), sum(xs, 1)


@case(*CALLS)
def of_a_generator(xs):
    return sum(x * 1.0 for x in xs), sum((x for x in xs if x > 0), 0.25)


@case((1e16, 1.0, 3), (0.1, 0.2, -4), (np.float64(1e16), 1.0, 3))
def of_several_kinds(a, b, n):
    return sum([a, b, -a]), sum((n, a, n, b, True, -a)), sum([a, np.float64(b), b, -a]), sum([], n)


@case((1e16, 1.0), (0.1, 0.2))
def in_a_loop(a, b):
    kept = []
    for k in range(60):
        if (k * 7) % 3 < 2:
            kept.append(a if k % 2 else b)
    return sum(kept), sum(kept, 0.5), sum([x for x in kept if x > 0.15])


test = PROGRAMS.test()


def test_gradient():
    found = rt.grad(lambda xs: sum([x * x for x in xs]) + sum(x * 3.0 for x in xs))([1.0, 2.0, -0.5])
    assert found == [5.0, 7.0, 2.0]
