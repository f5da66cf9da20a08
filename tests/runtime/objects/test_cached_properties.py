"""`functools.cached_property` keeps what it computes in the namespace of the object, past every setter."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import pytest

from tests.differential import check, check_scenario

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


@dataclass(frozen=True)
class Frozen:
    a: float

    @functools.cached_property
    def total(self):
        print("computed")
        return self.a + 1


class Talking:
    def __init__(self, a):
        self.a = a

    def __setattr__(self, name, value):
        print("set", name)
        object.__setattr__(self, name, value)

    @functools.cached_property
    def total(self):
        return self.a + 1


class Slotted:
    __slots__ = ("a",)

    @functools.cached_property
    def total(self):
        return 1


class Box:
    pass


@pytest.mark.parametrize("cls", [Frozen, Talking])
def test_no_store_is_seen(cls):
    def inside(x):
        one = cls(x[0])
        if x[0] > 0:
            return one.total, one.total
        return one.total, one.a

    check(inside, (UP,), (DOWN,))

    def argument(x, one):
        return one.total * x[0] + one.total

    check(argument, (UP, cls(2.0)))

    def listed(x):
        found = []
        for v in x:
            if v > 0:
                found.append(cls(v))
        return [one.total + one.total for one in found]

    check(listed, (UP,), (DOWN,))


@pytest.mark.parametrize("cls", [Frozen, Talking])
def test_of_an_object_outside(cls):
    def scenario(function):
        known, box = cls(3.0), Box()

        @function
        def f(x):
            box.made = cls(x[0])
            return known.total + box.made.total

        return f(UP), f(DOWN), vars(known), vars(box.made)

    check_scenario(scenario)


def test_a_class_with_slots_has_no_place_for_it():
    def f(x, one):
        try:
            return one.total + x[0]
        except TypeError as error:
            return str(error)

    check(f, (UP, Slotted()))

    def made(x):
        return Slotted().total + x[0]

    check(made, (UP,))
