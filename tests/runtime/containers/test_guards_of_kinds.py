"""The guard of a list's items: machine code, the quick way in Python and one by one say the same."""

import enum
from collections import deque

import numpy as np
import pytest

from runtime.functions.dispatch import in_machine_code
from runtime.specs.readers import Holds, Reader
from runtime.specs.spec import Const, Leaf, Tuple, Variant
from runtime.types import BOOL, FLOAT, INT, STR, ContainerType, InstanceType, NumberType, ScalarType


class Point:
    pass


class Float(float):
    pass


class Color(enum.Enum):
    RED = 1


NUMBER = Variant((Leaf(INT), Leaf(FLOAT)))
SPECS = [
    Leaf(FLOAT),
    Leaf(INT),
    Leaf(BOOL),
    Leaf(STR),
    Leaf(NumberType("complex")),
    Leaf(ScalarType(np.dtype("float64"))),
    Leaf(ScalarType(np.dtype("int64"))),
    Leaf(InstanceType("Point", Point)),
    Leaf(ContainerType("list", Leaf(FLOAT))),
    NUMBER,
    Variant((Const(None), Leaf(FLOAT))),
    Variant((Const("a"), Leaf(INT))),
    Variant((Const(None), Tuple((Leaf(INT), Leaf(STR))), Leaf(STR))),
    Const(None),
    Const(Color.RED),
    Tuple((Leaf(FLOAT), Leaf(FLOAT))),
    Tuple((Leaf(STR), NUMBER, Tuple((Leaf(INT), Const(None))))),
    Tuple(()),
]
ITEMS = [
    *(
        1.5,
        float("nan"),
        Float(2.5),
        3,
        -3,
        0,
        2**30,
        -(2**31),
        2**62,
        -(2**63),
        2**63 - 1,
        2**63,
        -(2**63) - 1,
    ),
    *(True, False, None, "a", "text", 2j, np.float64(1.5), np.int64(3), np.float32(1), np.longlong(3)),
    *(Point(), [], [1.5], (), (1.5, 2.5), (1.5, 2), (1.5,), (1, "b"), ("a", 2**70, (1, None)), Color.RED),
    *(("a", 2, (1, None)), ("a", 2.5, (1, None)), ("a", None, (1, None)), np.zeros(2)),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("kind", [list, tuple])
def test_same_answers(spec, kind):
    condition = Holds(ContainerType(kind.__name__, spec))
    machine_code = in_machine_code(condition)
    accepts = Reader(spec).accepts
    fitting = [item for item in ITEMS if accepts(item)]
    lists = [[], fitting, *[[*fitting, item] for item in ITEMS], *[[item, *fitting] for item in ITEMS]]
    for items in lists:
        expected = all(map(accepts, items))
        assert machine_code(kind(items)) is condition(kind(items)) is expected
    assert fitting
    for other in (None, 3, "text", {}, deque(fitting), (tuple if kind is list else list)(fitting)):
        assert machine_code(other) is condition(other) is False


def test_what_machine_code_knows():
    simple = [Holds(ContainerType("list", spec)) for spec in (Leaf(FLOAT), Leaf(INT), NUMBER)]
    assert all(in_machine_code(condition) is not condition for condition in simple)
    assert in_machine_code(simple[0]) is in_machine_code(Holds(ContainerType("list", Leaf(FLOAT))))
    known_range = Holds(ContainerType("list", Const(range(3))))
    assert in_machine_code(known_range) is known_range
