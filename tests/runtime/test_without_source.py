"""Functions that `exec` and `eval` made have no source: they are refused, and never run while tracing."""

import collections
import dataclasses
import random

import numpy as np
import pytest

from tests.differential import Refused, check, check_scenario
from tests.modules import module_of

COUNTED = []
TEXT = """
def bump():
    COUNTED.append(1)
    return len(COUNTED)

def noise():
    return random.random()

class Vector:
    def __init__(self, a):
        COUNTED.append(1)
        self.a = a

    def __add__(self, other):
        COUNTED.append(1)
        return self.a + other

    @property
    def size(self):
        COUNTED.append(1)
        return 1.0

    def __iter__(self):
        COUNTED.append(1)
        return iter([1.0])
"""
MADE = {"COUNTED": COUNTED, "random": random, "__name__": __name__}
exec(TEXT, MADE)
bump, noise, Vector = MADE["bump"], MADE["noise"], MADE["Vector"]
VECTOR = Vector(2.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + bump(),
        lambda x: x + noise(),
        lambda x: sum(map(lambda y: y * bump(), x)),
        lambda x: sorted([2.0, 1.0], key=lambda y: bump())[0] * x,
        lambda x: Vector(x).a,
        lambda x: VECTOR + x,
        lambda x: VECTOR.size * x,
        lambda x: [x + y for y in VECTOR],
    ],
)
def test_refused(f):
    """They have the file name of what `dataclass` writes, and were taken for it: called once, for good."""
    with pytest.raises(Refused, match="has no source that could be converted"):
        check(f, (np.array([1.0]),), (np.array([2.0]),))


def test_with_its_text_made_known():
    def program(function):
        COUNTED.clear()
        made = module_of(TEXT, COUNTED=COUNTED, random=random, __name__=__name__)
        f = function(lambda x: x + made["bump"]() + made["Vector"](x).size)
        return f(1.0), f(2.0), len(COUNTED)

    check_scenario(program)


Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass(order=True, frozen=True)
class Point:
    a: float
    items: list = dataclasses.field(default_factory=list)


def test_what_dataclass_and_namedtuple_write_is_known():
    def f(x):
        pair, point = Pair(x, b=2.0), Point(x)
        point.items.append(x)
        return pair, pair.a + pair.b, point.items, point < Point(2.0), point == Point(x)

    check(f, (1.0,), (3.0,))
