"""A metaclass of the user's is refused, wherever a class that has one is met; those of Python are not."""

import enum

import pytest

import runtime as rt
from autograph.errors import StagingError


class Meta(type):
    scale = 2.0

    def __len__(cls):
        return 3


class Base(metaclass=Meta):
    KIND = 1.0


class Derived(Base):
    pass


HELD = Derived()


def defined_inside(x):
    class Inside(metaclass=Meta):
        k = x

    return Inside.k


def derived_inside(x):
    class Inside(Base):
        k = x

    return Inside.k


def made_by_a_function(x):
    class Inside(metaclass=lambda name, bases, namespace: type(name, bases, namespace)):
        k = x

    return Inside.k


@pytest.mark.parametrize(
    "f",
    [
        lambda x: Base.KIND * x,
        lambda x: len(Base) * x,
        lambda x: Derived.scale * x,
        lambda x: x * isinstance(x, Derived),
        lambda x: HELD.KIND * x,
        lambda x: Derived() is not None,
        defined_inside,
        derived_inside,
        made_by_a_function,
    ],
)
def test_refused(f):
    with pytest.raises(StagingError, match="a class has the metaclass") as refused:
        rt.function(f)(1.5)
    assert refused.value.file == __file__ and "use a class without it" in refused.value.hint


class Color(enum.Enum):
    RED = 1


def test_a_member_of_an_enum_is_not_replaced():
    def f(x):
        Color.RED = x
        return x

    with pytest.raises(StagingError, match="`Color.RED` is a member of an enum, or stands beside them"):
        rt.function(f)(1.5)
