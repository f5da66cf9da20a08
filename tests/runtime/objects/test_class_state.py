"""Attributes of classes and functions that converted code changes, and what instances inherit of them."""

import dataclasses
import functools
import typing

from tests.programs import Programs

PROGRAMS = Programs()

scenario = PROGRAMS.scenario


@scenario
def made_by_the_function(function):
    class B:
        k = 1.0

        @classmethod
        def above(cls):
            return cls.k

    class D(B):
        @classmethod
        def above(cls):
            return super().above() + super().k

    @function
    def f(x):
        B.fresh = x
        seen = [D.fresh, D().fresh, hasattr(B(), "fresh"), getattr(D, "fresh", 5)]
        setattr(B, "k", x)
        setattr(B, "j", x + 1)
        return *seen, B.k, D.j, D.above(), D().above()

    return f(1.5), f(2.5), B.k, B.j


@scenario
def tuples_and_dataclasses(function):
    class Pair(typing.NamedTuple):
        a: float
        b: float
        scale = [2.0]

        @property
        def size(self):
            Pair.asked += 1
            return (self.a + self.b) * self.factor

    Pair.asked, Pair.factor = 0, 3.0

    @dataclasses.dataclass(frozen=True)
    class Item:
        a: float = 1.5
        total = 0.0

        def __post_init__(self):
            Item.total += self.a

    @function
    def f(x):
        p = Pair(x, 1.0)
        Pair.scale.append(x)
        if x > 2:
            Pair.factor = 7.0
        made = Item(x), Item(), dataclasses.replace(Item(), a=x)
        return p.size, p.scale[-1], p._replace(b=x).size, Pair.asked, made[2].total, Item.a

    return f(1.5), f(2.5), Pair.asked, Pair.scale, Item.total


@scenario
def attributes_that_wraps_copies(function):
    def g(x):
        return x

    g.calls, g.last = [0], None

    @function
    def f(x):
        g.last = x

        @functools.wraps(g)
        def h(y):
            return y

        h.calls[0] += 1
        h.own = x
        return h.calls[0], g.calls[0], h.last, hasattr(g, "own"), g.last

    return f(1.5), f(2.5), g.calls, g.last


NUMBERS = (3,), (1,), (5,), (0,)


@PROGRAMS.of(*NUMBERS)
def a_list_of_a_class(x):
    class K:
        made = []

        def __init__(self, v):
            self.v = v
            K.made.append(v)

    for i in range(x):
        K(i)
    return K.made


def mark(table, value):
    table["made"][0].n = value


@PROGRAMS.of(*NUMBERS)
def a_function_deep_in_lists_and_dicts_gets_its_first_attribute(x):
    table = {"made": [lambda: 1, (lambda: 2,)]}
    for k in range(x):
        mark(table, k)
    if x < 1:
        table["made"][1][0].seen = x
        mark(table, -1)
    elif x > 2:
        table["made"][1][0].seen = x + 1
    else:
        table["made"][1][0].seen = x + 2
    return table["made"][0].n, table["made"][1][0].seen


@PROGRAMS.of(*NUMBERS)
def an_attribute_that_one_path_makes(x):
    class K:
        pass

    if x > 2:
        K.flag = x
    return getattr(K, "flag", None), hasattr(K, "flag")


test_program = PROGRAMS.test()
