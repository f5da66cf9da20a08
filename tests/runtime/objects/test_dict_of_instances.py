"""``obj.__dict__``, ``vars(obj)`` and ``dir(obj)`` show attributes that no trace would see: refused."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check


class Tank:
    def __init__(self, v):
        self.v = v


class Shared:
    state = {}

    def __init__(self):
        self.__dict__ = self.state


class Many:
    def __init__(self, **named):
        self.__dict__.update(named)


def an_item(v):
    tank = Tank(v)
    tank.__dict__["v"] = 2 * v
    return tank.v


def all_of_one_made_inside(v):
    return dict(vars(Tank(v)))


def names(v):
    return dir(Tank(v))


def in_a_constructor(v):
    return Many(v=v).v


@pytest.mark.parametrize(
    "f, what",
    [
        (an_item, "a Tank"),
        (all_of_one_made_inside, "a Tank"),
        (in_a_constructor, "a Many"),
    ],
)
def test_it_is_refused(f, what):
    with pytest.raises(StagingError, match=f"the namespace of {what} is read as a whole"):
        rt.function(f)(np.float64(2.0))


def test_all_names_of_an_object_are_refused():
    with pytest.raises(StagingError, match=r"`dir\(\)` and `vars\(\)` give all names at once"):
        rt.function(names)(np.float64(2.0))


def replaced(v):
    one = Shared()
    one.v = v
    return Shared().v


def test_it_is_not_replaced():
    with pytest.raises(StagingError, match="the namespace of a Shared is replaced"):
        rt.function(replaced)(np.float64(2.0))


class ByName:
    def __init__(self, **named):
        for name, value in named.items():
            setattr(self, name, value)


def test_the_hint():
    def f(v):
        made = ByName(v=v, w=1.0)
        return {name: getattr(made, name) for name in ("v", "w")}

    assert check(f, (np.float64(2.0),))
