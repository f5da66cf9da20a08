"""A dict from outside that is the `__dict__` of an object, too: who stores to one stores to the other."""

import pytest

import runtime as rt
from autograph.errors import StagingError


class Tank:
    def __init__(self):
        self.y = 1.0


class Box:
    def __init__(self):
        self.tank = Tank()
        self.table = {"y": 5.0}


def by_attribute(box, v):
    box.tank.y = v
    return box.table["y"]


def by_item(box, v):
    box.table["y"] = v
    return box.tank.y


@pytest.mark.parametrize("program", [by_attribute, by_item])
def test_it_is_refused_where_one_is_changed(program):
    box = Box()
    box.table = vars(box.tank)
    with pytest.raises(StagingError, match=r"`box.table` is the namespace of `box.tank`"):
        rt.function(program)(box, 3.0)
    assert box.tank.y == 1.0


@pytest.mark.parametrize("program", [by_attribute, by_item])
def test_that_is_looked_at_in_each_call(program):
    box, decorated = Box(), rt.function(program)
    for v in (3.0, 4.0):
        assert decorated(box, v) == program(Box(), v)
    box.table = vars(box.tank)
    with pytest.raises(StagingError, match=r"`box.table` is the namespace of `box.tank`"):
        decorated(box, 7.0)


def test_reads_alone_are_right():
    box = Box()
    box.table = vars(box.tank)
    decorated = rt.function(lambda box: box.table["y"] + box.tank.y)
    assert decorated(box) == 2.0
    box.tank.y = 3.0
    assert decorated(box) == 6.0
