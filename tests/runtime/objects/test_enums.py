"""Members of an enum by a value that depends on data, combined flags, and instances of generic classes."""

import enum
import typing

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
X, ONE, NONE = np.array([3, 1, 4, 1, 5]), np.array([1]), np.zeros(0, int)


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

    @classmethod
    def of(cls, number):
        return cls(number % 3 + 1)

    @property
    def warm(self):
        return self is Color.RED


class Permission(enum.Flag):
    READ = 4
    WRITE = 2
    RUN = 1


T = typing.TypeVar("T")


@PROGRAMS.of(X, ONE, NONE)
def counted_by_member(x):
    counts = {color: 0 for color in Color}
    for v in x:
        counts[Color(int(v) % 3 + 1)] += 1
    return counts


@PROGRAMS.of(X, ONE, NONE)
def what_members_have(x):
    return [(c.name, c.value, c.warm) for c in [Color.of(int(v)) for v in x]]


@PROGRAMS.of(X, ONE, NONE)
def flags_set_under_conditions(x):
    held = Permission(0)
    for v in x:
        if v > 3:
            held |= Permission.READ
        elif v > 2:
            held |= Permission.WRITE
        else:
            held &= ~Permission.WRITE
    return held, Permission.READ in held


test_enums = PROGRAMS.test()


def test_flags_of_a_number_that_a_run_knows_are_refused():
    @rt.function
    def f(x):
        return [Permission(int(v) % 8) for v in x]

    with pytest.raises(StagingError, match="a Permission is made of a value that no member has"):
        f(X)


@pytest.mark.parametrize("kind", [enum.IntEnum, enum.IntFlag, enum.Flag, enum.StrEnum])
def test_a_member_compared_with_one_given_is_traced_once(kind):
    """The class hides by methods what its bases hold as plain values."""
    own = kind("Op", {"FLIP": "flip", "KEEP": "keep"} if kind is enum.StrEnum else ["FLIP", "KEEP"])

    @rt.function
    def f(x, op):
        return -x if op == own.FLIP else x

    assert [f(2.0, op) for op in (own.FLIP, own.KEEP, own.FLIP, own.KEEP)] == [-2.0, 2.0, -2.0, 2.0]
    assert f.trace_count == 2


class Lenient(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        return cls.ONE


def test_an_enum_that_finds_members_itself_is_refused():
    with pytest.raises(StagingError, match="a Lenient is made of a value that no member has"):
        rt.function(lambda x: (Lenient(7).value, x))(X)
    assert rt.function(lambda x: Lenient(1).value * x[0])(X) == X[0]
