"""``obj.__dict__`` and ``vars(obj)`` of an object made inside: their items are the attributes."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

NUMBERS = [(np.float64(2.0),), (np.float64(-1.0),), (np.float64(3.0),), (np.float64(0.5),)]


class Tank:
    pass


class Named:
    """A descriptor that keeps its value under its own name."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, owner, kind=None):
        return owner.__dict__.get(self.name, np.float64(0.5))

    def __set__(self, owner, value):
        owner.__dict__[self.name] = -value if value < 0 else value


class User:
    high = Named()

    def __init__(self, v):
        self.high = v
        self.low = v


class Many:
    def __init__(self, **named):
        self.__dict__.update(named)

    def merge(self, other):
        for name, value in vars(other).items():
            if value > 0:
                self.__dict__[name] = value
        return self


@of((np.float64(0.0), np.arange(3.0)), (np.float64(5.0), np.arange(3.0)), (np.float64(1.0), np.arange(3.0)))
def item_and_attribute_in_a_handler(v, xs):
    tank = Tank()
    tank.v = np.float64(0.0)
    try:
        y = xs[int(v)]
    except IndexError:
        tank.__dict__["v"] = v
        tank.v += v
        y = np.float64(1.0)
    return tank.v + y


@of(*NUMBERS)
def item_and_attribute_in_a_loop(v):
    tank = Tank()
    tank.v = np.float64(0.0)
    while v > 0:
        tank.__dict__["v"] += v
        tank.v *= 2
        v -= 1
    return tank.v, tank


@of(*NUMBERS)
def under_the_name_of_a_descriptor(v):
    user = User(v)
    if v > 2:
        user.high = v - 5
    for _ in range(3):
        user.high = user.high - 1
        if v > 0:
            user.__dict__["high"] += 1
    return user.high, vars(user), user.low


@of(*NUMBERS)
def in_a_branch_of_a_loop(v):
    many = Many(a=v, b=np.float64(1.0)).merge(Many(a=2 * v, b=-v))
    return many.a, many.b, vars(many)


@of(*NUMBERS)
def kept_in_a_variable_of_plain_code(v):
    tank = Tank()
    tank.v, tank.w = v, 2
    held = tank.__dict__
    held["v"] = v + 1
    held |= {"z": v}
    del held["w"]
    if tank.v > 1:
        y = held["z"]
    else:
        y = np.float64(0.0)
    return tank.v, y, hasattr(tank, "w"), list(held)


@of(*NUMBERS)
def kept_in_a_variable_of_staged_code(v):
    tank, other = Tank(), Tank()
    tank.v, other.v = 1.0, 2.0
    held, either = vars(tank), vars(tank if v > 2 else other)
    if v > 1:
        tank.w = v
    found = held.get("w", -1.0), "w" in held, held.pop("w", None)
    while v > 0:
        held["v"] = v
        v -= 1
        either["v"] += held["v"]
    return tank.v, other.v, found, held is vars(tank), either


@of(*NUMBERS)
def each_item_when_its_turn_comes(v):
    many = Many(a=v, b=1.0, c="c")
    for name, value in vars(many).items():
        if v > 0:
            many.b += 1.0
        print(name, value)
    for name in vars(many):
        setattr(many, name, [name, vars(many)[name]])
    return {**vars(many)}, dict(many.__dict__, d=v), sorted(vars(many)), [*vars(many).values()], many


@of(*NUMBERS)
def names_in_the_order_of_stores(v):
    tank, other = Tank(), Tank()
    tank.b, tank.a = v, 2 * v
    del tank.b
    if v > 0:
        tank.b, other.x = v, 1
    else:
        tank.b = other.x = -v
    same = tank if v > 1 else other
    return list(vars(tank)), len(vars(other)), vars(tank) == {"a": 2 * v, "b": v}, same, vars(same)


test_program = PROGRAMS.test()


def changed_beside(v):
    tank = Tank()
    held = tank.__dict__
    if v > 0:
        tank.w = v
    return "w" in held, len(held)


def made_with(v):
    tank, held = Tank(), {}
    if v > 0:
        tank = Tank()
        held = vars(tank)
    held["v"] = v
    return hasattr(tank, "v")


class Shared:
    state = {}

    def __init__(self):
        self.__dict__ = self.state


def replaced(v):
    one = Shared()
    one.v = v
    return Shared().v


def one_of_two(v):
    tank = Tank()
    if v > 0:
        tank = Tank()
    return {name: held for name, held in vars(tank).items()}


@pytest.mark.parametrize(
    "f, words",
    [
        (one_of_two, "the namespace of a Tank is read as a whole, which only a run knows"),
        (changed_beside, "the namespace of a Tank is read as a whole, which only a run knows"),
        (made_with, "`held` gets an object that holds what one path of a staged condition has computed"),
        (replaced, "the namespace of a Shared is replaced"),
    ],
)
def test_refused(f, words):
    with pytest.raises(StagingError, match=words):
        rt.function(f)(np.float64(2.0))
