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


class Down(collections.abc.Iterator):
    def __init__(self, n):
        self.n = n

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


FLOATS, TABLE = Floats(), Table({"a": 1.0, "b": 2.0})


@PROGRAMS.of((1.0,), (2.0,))
def loops(x):
    total = 0.0
    for v in FLOATS:
        total += v * x
    return total, [v * x for v in FLOATS], any(v > x for v in FLOATS)


@PROGRAMS.of((1.0,))
def calls(x):
    joined = ",".join(str(v) for v in FLOATS)
    return sum(FLOATS) * x, max(FLOATS), list(zip(FLOATS, [1, 2, 3])), list(map(abs, FLOATS)), joined


@PROGRAMS.of((1.0,))
def unpacked(x):
    a, b, c = FLOATS
    return a * x, b, c, [*FLOATS], (*FLOATS,)


@PROGRAMS.of((1.0,), (5.0,))
def asked(x):
    return x in FLOATS, FLOATS.count(x), list(reversed(FLOATS)), FLOATS.index(1.0)


@PROGRAMS.of((1.0,), (5.0,))
def index(x):
    return FLOATS.index(x)


@PROGRAMS.of((0,), (1,), (3,))
def made_inside(n):
    s = Floats(n)
    total = 0.0
    for v in s:
        total += v
    return total, sum(s), list(s), n in s, list(reversed(s)), s.count(1.0)


@PROGRAMS.of(("a",), ("z",))
def mappings(key):
    return TABLE.get(key), key in TABLE, TABLE.get(key, 5), list(TABLE.items()), {k: TABLE[k] for k in TABLE}


@PROGRAMS.of((0,), (2,))
def iterators(n):
    return list(Down(n)), [v for v in Down(n)], sum(Down(n))


test_program = PROGRAMS.test()
