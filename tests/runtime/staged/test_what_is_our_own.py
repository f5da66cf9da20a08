"""Attributes that only our own classes have: a program finds none of that name, however it asks."""

import collections

import numpy as np
import pytest

from tests.differential import Call, check
from tests.long import some
from tests.spread import spread


class Reading:
    def __init__(self, value):
        self.value = value


def listed(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


MAKERS = {
    "array": lambda x: x * 2,
    "scalar": lambda x: x[0] * 2,
    "array or tuple": lambda x: x if x[0] > 1 else (x[0], 2),
    "list": listed,
    "enumerate": lambda x: enumerate(x),
    "iterator": lambda x: iter(listed(x)),
    "generator": lambda x: (v for v in x),
    "range": lambda x: range(len(listed(x))),
    "items": lambda x: dict(enumerate(listed(x))).items(),
    "deque": lambda x: collections.deque(listed(x)),
}
NAMES = ("value", "builder", "type", "boxed", "kind", "name", "known", "static", "length", "over", "bounds")


@pytest.mark.parametrize("kind", some(MAKERS))
def test_what_is_our_own_is_not_the_program_s(kind):
    make = MAKERS[kind]

    def by_hasattr(x):
        made = make(x)
        return [hasattr(made, name) for name in NAMES]

    def by_getattr(x):
        made = make(x)
        return [getattr(made, name, "none") for name in NAMES]

    def by_name(x):
        made = make(x)
        try:
            return made.value
        except AttributeError as error:
            return str(error)

    def by_pattern(x):
        match make(x):
            case object(value=found):
                return found
            case object(known=found):
                return found
        return "none"

    calls = Call(np.array([2.0, 1.0])), Call(np.array([0.5, 3.0]))
    for program in (by_hasattr, by_getattr):
        check(program, *calls, engines=["numpy"])
    for program in (by_name, by_pattern):
        check(program, *calls, engines=["numpy"], may_refuse=kind in ("iterator", "generator"))


class Fault(Exception):
    def __init__(self, value):
        self.value, self.type, self.builder, self.types = value, "t", 3, ("a", value)
        self.unknown = self.instance = value * 2


def sink(v):
    if v < -3:
        raise Fault(v)
    return v if v > 50 else sink(v * 2)


@pytest.mark.parametrize(
    ("name", "handled"),
    spread(["value", "type", "builder", "types", "unknown", "instance", "boxed"], [Fault, Exception]),
)
def test_what_an_exception_out_of_a_recursion_is_asked_for_by_name(name, handled):
    def asked(x):
        try:
            return sink(x), True
        except handled as e:
            return getattr(e, name, "none"), hasattr(e, name)

    check(asked, Call(-1.0), Call(1.0), engines=["numpy"])


@pytest.mark.parametrize("handled", [Fault, Exception])
def test_an_exception_out_of_a_recursion_has_the_attributes_of_its_class(handled):
    def caught(x):
        try:
            return sink(x)
        except handled as e:
            return e.value, e.type, e.builder, e.types, e.unknown, e.instance

    check(caught, Call(-1.0), Call(1.0), engines=["numpy"])
