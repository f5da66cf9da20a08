"""`functools.cached_property` keeps what it computes in the namespace of the object, past every setter."""

from __future__ import annotations

import functools

import numpy as np

from tests.differential import check

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


class Slotted:
    __slots__ = ("a",)

    @functools.cached_property
    def total(self):
        return 1


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
