"""The best of many objects: its attributes are looked up, not branched for."""

from typing import Any

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
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
