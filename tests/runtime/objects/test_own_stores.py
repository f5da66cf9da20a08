"""Classes that say themselves how an attribute is stored: `__setattr__`, frozen dataclasses, `__new__`."""

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from tests.differential import CallOf
from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

NUMBERS = (3, 0, 5)
SIZES = [(np.array([n]),) for n in NUMBERS]


def with_new(make):
    return [CallOf(lambda n=n: (np.array([n]), make())) for n in NUMBERS]


class Counting:
    def __init__(self, a):
        self.a = a

    def __setattr__(self, name, value):
        if name == "a" and value > 3:
            value = 3
        super().__setattr__(name, value)
        super().__setattr__("stores", getattr(self, "stores", 0) + 1)

    def __delattr__(self, name):
        if name == "a":
            raise AttributeError("keep " + name)
        object.__delattr__(self, name)


@dataclass(frozen=True)
class Frozen:
    x: int
    y: int = 0
    z: int = field(init=False, default=0)

    def __post_init__(self):
        if self.x > 3:
            object.__setattr__(self, "z", self.x * 2)
        object.__setattr__(self, "y", self.y + 1)

    def cached(self):
        if not hasattr(self, "_cached"):
            object.__setattr__(self, "_cached", self.x * 100)
        return self._cached


def use(n, counting):
    if n > 2:
        counting.a = n
    for i in range(n):
        counting.b = i
    try:
        del counting.a
    except AttributeError as error:
        said = str(error)
    if n:
        del counting.b
    return counting.a, counting.stores, said, hasattr(counting, "b")


@of(*SIZES)
def own_setattr(x):
    n = int(x[0])
    items = [Counting(i * 2) for i in range(n + 1)]
    return use(n, Counting(1)), use(n, items[0]), [(i.a, i.stores) for i in items]


@of(*with_new(lambda: Frozen(1)))
def frozen_dataclass(x, outside):
    n = int(x[0])
    items = [Frozen(i) for i in range(n + 1)]
    found = [outside.cached(), Frozen(n), Frozen(n).cached(), [i.cached() for i in items], items]
    if n > 2:
        object.__setattr__(outside, "x", n)
    for item in (outside, items[0]):
        try:
            item.x = 2
        except dataclasses.FrozenInstanceError as error:
            found.append(str(error))
    return found


test_program = PROGRAMS.test()
