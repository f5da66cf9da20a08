"""Lists and dicts from outside that grow between calls: no trace for each length."""

from typing import Any

import numpy as np
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


# -- Trees, linked lists and graphs of objects, made inside or found outside, and functions that walk them


@scenario
def tree_outside(function):
    class T:
        def __init__(self, v, *kids):
            self.v = v
            self.kids = list(kids)

    def total(t, x):
        s = t.v if t.v > x else 0.0
        for k in t.kids:
            s += total(k, x)
        return s

    root = T(1.0, T(2.0), T(3.0, T(4.0)))

    @function
    def f(x):
        return total(root, x)

    r = [f(0.0), f(2.5)]
    root.kids.append(T(10.0))
    r.append(f(0.0))
    root.kids[1].kids[0].v = 7.0
    r.append(f(0.0))
    root.kids.pop(0)
    r.append(f(0.0))
    return r


# -- The best of many objects: its attributes are looked up, not branched for

COUNT = 9
FIRST = np.array([0.3, 0.8, 0.3, -1.3, 0.9, 0.4, -0.5, 0.5, 0.2])
ARGUMENTS = (FIRST,), (FIRST[::-1].copy(),), (np.zeros(COUNT),), (-FIRST,)


class Particle:
    def __init__(self, cost: Any, number: int) -> None:
        self.cost = cost
        self.number = number
        self.place = np.zeros(2) + number
        self.visits = [number]
        self.name = f"p{number}"
        self.mixed = 1 if number % 2 else 1.5
        self.maybe = None if number % 3 else cost
        self.next: Any = None

    @property
    def twice(self) -> Any:
        return self.cost * 2

    def visit(self) -> int:
        self.number += 100
        return self.number


def swarm(x):
    return [Particle(x[number], number) for number in range(COUNT)]


def best(particles, key=lambda p: p.cost):
    found = particles[0]
    for p in particles[1:]:
        if key(p) > key(found):
            found = p
    return found


@PROGRAMS.of(*ARGUMENTS)
def its_list_grows(x):
    particles = swarm(x)
    found = best(particles)
    found.visits.append(x[0])
    return [p.visits for p in particles], len(found.visits)


test_program = PROGRAMS.test()
