"""The best of many objects: its attributes are looked up, not branched for."""

from typing import Any

import numpy as np

import runtime as rt
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


class Slotted:
    __slots__ = ("cost", "number")

    def __init__(self, cost: Any, number: float) -> None:
        self.cost, self.number = cost, number


SWARM = [Particle(float(number), number) for number in range(COUNT)]


def swarm(x):
    return [Particle(x[number], number) for number in range(COUNT)]


def best(particles, key=lambda p: p.cost):
    found = particles[0]
    for p in particles[1:]:
        if key(p) > key(found):
            found = p
    return found


@PROGRAMS.of(*ARGUMENTS)
def what_it_holds(x):
    found = best(swarm(x))
    return found.number, found.cost, found.name, found.mixed, found.maybe, found.twice, found.place


@PROGRAMS.of(*ARGUMENTS)
def its_array_is_written(x):
    particles = swarm(x)
    found = best(particles)
    kept = found.place
    kept[1] = 5.0
    found.place = np.ones(2)
    kept[0] = 9
    return [p.place for p in particles], kept


@PROGRAMS.of(*ARGUMENTS)
def its_list_grows(x):
    particles = swarm(x)
    found = best(particles)
    found.visits.append(x[0])
    return [p.visits for p in particles], len(found.visits)


@PROGRAMS.of(*ARGUMENTS)
def it_is_changed(x):
    particles = swarm(x)
    found, worst = best(particles), best(particles, lambda p: -p.cost)
    found.cost, worst.cost = worst.cost, found.cost
    number = found.visit()
    return [(p.cost, float(p.number)) for p in particles], number, found.number


@PROGRAMS.of(*ARGUMENTS)
def what_it_is_linked_to(x):
    particles = swarm(x)
    for p, following in zip(particles, particles[1:], strict=False):
        p.next = following
    return best(particles[:-1]).next.number, best(particles[:-1]).next.cost


@PROGRAMS.of(*ARGUMENTS)
def slots(x):
    particles = [Slotted(x[number], float(number)) for number in range(COUNT)]
    found = best(particles)
    found.number = found.number + x[0]
    return found.number, [float(p.number) for p in particles]


@PROGRAMS.of(*ARGUMENTS)
def an_attribute_that_some_lack(x):
    particles = swarm(x)
    particles[4].extra = 1
    return best(particles).extra


test_program = PROGRAMS.test()


def test_objects_that_turn_up_one_by_one() -> None:
    """In each round of its types the loop learns of one more object that it stores to."""

    def lowered(x):
        total = 0.0
        for turn in range(x.size * 300):
            found = best(SWARM)
            found.cost = found.cost - x[turn % COUNT]
            total += found.cost
        return total

    def costs() -> list[Any]:
        return [p.cost for p in SWARM]

    def reset() -> None:
        for number, p in enumerate(SWARM):
            p.cost = float(number)

    x = np.abs(FIRST)
    reset()
    expected = lowered(x), costs()
    for engine in ("numpy", "native"):
        reset()
        assert (rt.function(lowered, engine=engine)(x), costs()) == expected


def test_forty_objects_are_one_operation_each() -> None:
    """The trace grows with the number of objects, not with its square."""

    def sizes(count: int) -> int:
        def found(x):
            return best([Slotted(x[number], number) for number in range(count)]).number

        x = np.arange(float(count))
        decorated = rt.function(found)
        assert decorated(x) == found(x) == count - 1
        return str(decorated.get_concrete_function(x).graph).count("\n")

    assert sizes(40) < 2.3 * sizes(20)
