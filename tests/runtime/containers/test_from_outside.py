"""Lists and dicts from outside: arguments, globals, cells, attributes."""

from tests.programs import Programs
from tests.runtime.containers.values import X, Y

PROGRAMS = Programs()


class Bag:
    def __init__(self):
        self.items, self.seen = [], {}

    def add(self, v):
        if v not in self.seen:
            self.seen[v] = len(self.items)
            self.items.append(v)
        return self.seen[v]


@PROGRAMS.of(([1.0, 2.0], 3), ([1.0, 2.0], 0), ([], 2))
def mutate_arg(xs, n):
    for i in range(n):
        xs.append(float(i))
    return len(xs)


@PROGRAMS.of(([1.0, 2.0], 3), ([1.0, 2.0], 0))
def return_arg(xs, n):
    for i in range(n):
        if i > 0:
            xs.append(i)
    return xs


@PROGRAMS.of(({"a": 1.0}, 3), ({"a": 1.0}, 0))
def dict_arg(d, n):
    for i in range(n):
        d[i] = float(i)
    return len(d)


@PROGRAMS.of(([1, 2, 3], 3), ([1, 2, 3], 1))
def arg_pop(xs, n):
    t = 0
    for i in range(n):
        t += xs.pop()
    return t


@PROGRAMS.of(([[1], [2]], 3), ([[1], [2]], 0))
def arg_nested(rows, n):
    for i in range(n):
        rows[i % 2].append(i)
    return rows


@PROGRAMS.of(([X, Y], 3), ([X], 1))
def arg_arrays(xs, n):
    for i in range(n):
        xs.append(xs[0] * i)
    return len(xs)


G = [1.0]


@PROGRAMS.of((3,), (0,), (2,))
def global_list(n):
    for i in range(n):
        G.append(float(i))
    return len(G), sum(G)


def make_counter():
    log = []

    def f(n):
        for i in range(n):
            log.append(i)
        return len(log), log

    return f


closure = make_counter()


@PROGRAMS.of((3,), (0,), (2,))
def closure_list(n):
    return closure(n)


OUT = Bag()


@PROGRAMS.of((6,), (1,))
def outside_bag(n):
    for i in range(n):
        OUT.add(i % 3)
    return len(OUT.items)


test_program = PROGRAMS.test()
