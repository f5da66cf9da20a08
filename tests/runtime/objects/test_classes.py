"""Ordinary classes under the decorator: accounts, particles, machines, filters, queues."""

import numpy as np

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()

scenario = PROGRAMS.scenario


@scenario
def particle(function):
    class Particle:
        def __init__(self, pos, vel):
            self.pos = pos
            self.vel = vel
            self.alive = True

        def step(self, dt):
            self.pos = self.pos + self.vel * dt
            if self.pos[1] < 0:
                self.vel[1] = -self.vel[1] * 0.9
                self.pos[1] = 0.0
            if abs(self.pos[0]) > 10:
                self.alive = False

    ps = [Particle(floats(0, 1), floats(1, -3)), Particle(floats(5, 1), floats(8, 3))]

    @function
    def sim(dt, n):
        for i in range(n):
            for p in ps:
                if p.alive:
                    p.step(dt)
        return sum(p.pos[0] for p in ps)

    r = [sim(0.1, 5), sim(0.1, 50), sim(0.05, 3)]
    return r, [(p.pos, p.vel, p.alive) for p in ps]


of = PROGRAMS.of

X, DOWN = np.array([1.0, 2.0, 3.0]), np.array([-3.0, 0.5, -1.0])


class Raising:
    def __init__(self, value):
        self.value = value
        raise KeyError("never made")


@of((X,), (DOWN,))
def a_constructor_that_raises_before_a_loop(x):
    caught, k = 0, x[0]
    if x[0] > 0:
        try:
            Raising(k)
        except KeyError:
            caught += 1
    while k > 0:
        k -= 1
    return caught, k


test_program = PROGRAMS.test()
