"""Operators between a number of the run and an object of a library: what plain numbers give, or refused."""

import collections
import datetime
import decimal
import enum
import fractions
import operator

import numpy as np
import pytest

from tests.differential import check
from tests.spread import spread


class Level(enum.IntEnum):
    LOW = 2


class Mode(enum.IntFlag):
    READ = 2


OBJECTS = {
    "Fraction": fractions.Fraction(3, 2),
    "Decimal": decimal.Decimal(2),
    "timedelta": datetime.timedelta(days=2),
    "deque": collections.deque([1, 2]),
    "UserList": collections.UserList([1, 2]),
    "IntEnum": Level.LOW,
    "IntFlag": Mode.READ,
    "longdouble": np.longdouble(2),
}
OPERATORS = [
    operator.add,
    operator.mul,
    operator.truediv,
    operator.pow,
    operator.and_,
    operator.lt,
    operator.eq,
]


@pytest.mark.parametrize("kind, apply, swapped", spread([*OBJECTS], [*OPERATORS], (False, True)))
def test_right_or_refused(kind, apply, swapped):
    held = OBJECTS[kind]

    def number(n):
        return apply(held, n) if swapped else apply(n, held)

    check(number, (2,), (1,), (3,), may_refuse=True, engines=["numpy"])
    check(number, (np.float64(2.0),), (np.float64(0.5),), may_refuse=True, engines=["numpy"])


class Modular:
    def __pow__(self, exponent, modulus=None):
        return exponent, modulus


def test_three_operands_of_pow():
    check(lambda n: (pow(n, 2, 5), pow(n, n, None)), (2,), (3,))
    for base, modulus in ((Modular(), 3), (None, 3), (np.int8(3), 3), (3, "a"), ("a", 3)):
        check(lambda n, base=base, modulus=modulus: pow(base, n, modulus), (2,), may_refuse=True)
