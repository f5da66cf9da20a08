"""Attributes that are read and stored by callees, not by an expression `o.a`: of objects from outside, whose
attributes change between calls."""

import dataclasses
import operator
import string

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()


class Item:
    def __init__(self, a):
        self.a = a

    def __bytes__(self):
        return bytes([self.a])

    def grown(self, by=1):
        return self.a + by


@dataclasses.dataclass(order=True)
class Pair:
    a: float
    b: float = 0.5
    seen: list = dataclasses.field(default_factory=list, compare=False)

    def __post_init__(self):
        self.seen.append(self.a * 2)


@dataclasses.dataclass
class Plain:
    a: float
    b: float


def between_calls(function, read, world, change):
    """What the decorated function reads of the world before and after a change."""
    f = function(lambda x: read(world, x))
    before = f(1.5), f(2.5)
    change(world)
    return before, f(1.5), f(2.5)


class Both:
    def __init__(self, item):
        self.item = item


def set_a(world):
    world.a += 2


@PROGRAMS.scenario
def by_functions_of_operator(function):
    def read(item, x):
        both = Both(item)
        found = [operator.attrgetter("a")(item), operator.attrgetter("item.a", "item")(both)[0]]
        found += list(map(operator.attrgetter("a"), [item, Item(7)]))
        best = max([Item(3), item, Item(x)], key=operator.attrgetter("a"))
        return found, item.grown(by=x), best.a

    return between_calls(function, read, Item(3), set_a)


@PROGRAMS.scenario
def by_builtins(function):
    def read(item, x):
        found = getattr(item, "a"), getattr(item, "b", x), hasattr(item, "b"), bytes(item)[0]
        setattr(item, "b", x)
        found += (getattr(item, "b", None), item.b)
        delattr(item, "b")
        return found, hasattr(item, "b"), "{0.a} {1}".format(item, x)

    return between_calls(function, read, Item(3), set_a)


@PROGRAMS.scenario
def by_a_formatter_of_the_library(function):
    read = lambda item, x: string.Formatter().format("{0.a:>{1}} {2}", item, 4, x)
    return between_calls(function, read, Item(3), set_a)


@PROGRAMS.scenario
def by_a_gradient_of_what_is_outside(function):
    def read(pair, x):
        found = rt.grad(lambda p: (p.a * x + p.b) ** 2)(pair)
        return found.a, found.b

    return between_calls(function, read, Plain(3.0, 1.0), set_a)


@PROGRAMS.of((1.0,), (3.0,))
def an_init_that_dataclass_wrote_is_called_by_super(x):
    class Marked(Pair):
        def __init__(self, a):
            if a > 2:
                super().__init__(a, b=-1.0)
            else:
                super().__init__(a * 100)
            self.mark = self.a + self.b

    made = Marked(x)
    return made.a, made.b, made.mark


test_program = PROGRAMS.test()
