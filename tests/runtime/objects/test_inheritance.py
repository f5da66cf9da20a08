"""Subclasses, mixins, abstract classes, properties: the method is that of the object's class."""

import collections.abc

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def special_methods_of_a_second_base_class(function):
    """An object of the first base is made before, or after: what a trace puts on its class hides nothing."""

    class Value:
        def __init__(self, v):
            self.v = v

    class Compared:
        def __eq__(self, other):
            print("eq")
            return self.v == other.v

        def __lt__(self, other):
            return self.v < other.v

    class Doubling:
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value * 2 if name == "w" else value)

    class Both(Value, Compared):
        pass

    class Magic(Value, Doubling):
        pass

    @function
    def f(x, first):
        made = Value(x[0]) if first else None
        a, b, magic = Both(x[1]), Both(x[1]), Magic(x[0])
        magic.w = x[1]
        made = made or Value(x[0])
        same = Value(1.0) == Value(1.0)
        try:
            hash(a)
        except TypeError as error:
            return a == b, a != b, a < b, magic.w, made.v, same, str(error)

    return [f(floats(1, 2), first) for first in (True, False)] + [f(floats(3, 4), True)]


# -- Classes with operators, conversions, truth, length, iteration, and calls


class Key:
    def __init__(self, place, name):
        self.place, self.name = place, name

    def __hash__(self):
        return hash((self.place, self.name))

    def __eq__(self, other):
        return (self.place, self.name) == (other.place, other.name)


@PROGRAMS.of((1.5, 1), (2.5, 3))
def keys_with_a_hash_of_their_own(x, n):
    table = {Key(1, "u"): x, Key(2, "v"): 2 * x}
    several = {Key(1, "u"), Key(1, "u"), Key(n, "v" if n > 2 else "u")}
    return table[Key(1, "u")], Key(2, "v") in table, len(several), table.get(Key(n, "u"), 0.0)


# -- Classes derived from those of `collections.abc`: what they have from there calls the user's methods


class Floats(collections.abc.Sequence):
    def __init__(self, n=3):
        self.n = n

    def __getitem__(self, i):
        if i < 0:
            i += self.n
        if i >= self.n or i < 0:
            raise IndexError(i)
        return float(i)

    def __len__(self):
        return self.n


class Table(collections.abc.Mapping):
    def __init__(self, held):
        self.held = held

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


FLOATS, TABLE = Floats(), Table({"a": 1.0, "b": 2.0})


@PROGRAMS.of((1.0,), (5.0,))
def asked(x):
    return x in FLOATS, FLOATS.count(x), list(reversed(FLOATS)), FLOATS.index(1.0)


test_program = PROGRAMS.test()
