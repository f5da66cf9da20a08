"""Classes derived from those of `collections.abc`: what they have from there calls the user's methods."""

import collections.abc

from tests.programs import Programs

PROGRAMS = Programs()


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
