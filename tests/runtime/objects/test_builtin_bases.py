"""Subclasses of float, int and str that are made inside: returned and chosen; what cannot be is refused."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()


class Temperature(float):
    @property
    def fahrenheit(self):
        return self * 9 / 5 + 32


class Degrees(int):
    def __new__(cls, value, note=""):
        made = super().__new__(cls, value)
        made.note = note
        return made

    def __add__(self, other):
        return Degrees(int(self) + other, self.note)


class Name(str):
    def shout(self):
        return self.upper() + "!"


class Marks(set):
    pass


@PROGRAMS.of((3.0,), (-3.0,))
def a_float(v):
    t = Temperature(20.0)
    return t.fahrenheit + v if v > 0 else t


@PROGRAMS.of((3.0,), (-3.0,))
def an_int_with_an_attribute(v):
    t = Degrees(20, "warm")
    return [t + 1, t.note] if v > 0 else [t, t.note]


@PROGRAMS.of((3.0,), (-3.0,))
def a_string(v):
    name = Name("bo")
    return name.shout() if v > 0 else name


test_builtin_bases = PROGRAMS.test()


def test_a_set_of_a_class_of_its_own_is_not_returned():
    @rt.function
    def f(x):
        marks = Marks([1, 2])
        return marks if x.sum() > 0 else None

    with pytest.raises(StagingError, match="holds more than attributes"):
        f(np.ones(2))


def test_a_float_of_a_class_of_its_own_is_not_stored():
    kept = []

    @rt.function
    def f(x):
        if x.sum() > 0:
            kept.append(Temperature(20.0))

    with pytest.raises(StagingError, match="a Temperature is kept outside the function"):
        f(np.ones(2))
