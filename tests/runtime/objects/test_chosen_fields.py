"""Fields that are one of several things at run time, None or a number say, and their texts."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = (np.array([1.0, 4.25]),), (np.array([3.0, -2.25]),), (np.array([-1.0, 2.25]),)


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any
    y: Any

    def __add__(self, other):
        return self.y + other.y


@dataclasses.dataclass(frozen=True)
class Checked:
    x: Any
    y: float = 1.0

    def __post_init__(self):
        if self.x is None:
            object.__setattr__(self, "y", 5.0)
        elif self.x > 2:
            object.__setattr__(self, "y", float(self.x))


@dataclasses.dataclass(slots=True)
class Slotted:
    x: Any


class Pair(NamedTuple):
    x: Any
    y: float = 1.0


class Plain:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Plain({self.x!r})"


@PROGRAMS.of(*CALLS)
def a_frozen_dataclass_that_looks_at_its_fields(a):
    checked = [Checked(v if v > 0 else None) for v in a]
    return checked, [one.y for one in checked], Checked(a[0] if a[1] > 0 else None)


@PROGRAMS.of(*CALLS)
def texts_of_objects_that_hold_one_of_several(a):
    maybe = a[0] if a[1] > 0 else "none"
    texts = []
    for held in (Slotted(maybe), Pair(maybe), Plain(maybe), Frozen(1, maybe)):
        print(held, [held])
        texts += [repr(held), f"{held}", str([held]), "%s" % (held,), "{}".format(held)]
    return texts


@PROGRAMS.of(*CALLS)
def texts_of_containers_that_hold_one_of_several(a):
    maybe = a[0] if a[1] > 0 else None
    held = [(maybe, 1), {"k": maybe}]
    print(held, maybe)
    joined = ",".join(map(str, [maybe, 1])), ",".join([str(maybe)])
    return f"{held} {maybe}", str(held), "%s %r" % (held, maybe), "{!r:>40}".format(held), joined


test_program = PROGRAMS.test()
