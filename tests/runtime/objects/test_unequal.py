"""`!=` of objects whose class defines only `__eq__`: the contrary, or Python's own answer."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

CALLS = [(np.array(values),) for values in ([1.0, -2.0, 3.0], [-1.0, 2.0, 4.0], [2.0, 2.0, 2.0])]


class Pair:
    def __init__(self, p, q):
        self.p, self.q = p, q

    def __eq__(self, other):
        if not isinstance(other, Pair):
            return NotImplemented
        return self.p == other.p and self.q == other.q


class Named(Pair):
    pass


class Plain:
    pass


class Derived(Plain):
    pass


@of(*CALLS)
def with_what_is_no_pair(x):
    a, b = Pair(x[0], x[1]), Pair(x[1], x[0])
    return a != b, a != a, a != 3, 3 != a, a == 3, a is None


@of(*CALLS)
def one_of_two_classes(x):
    a = Pair(x[0], x[1]) if x[0] > 0 else Named(x[1], x[0])
    b = Pair(x[1], x[0])
    return a != b, a != 3, b != a, a == "a"


@of(*CALLS)
def items_of_a_list(x):
    items = []
    for v in x:
        if v > 0:
            items.append(Pair(v, v))
    n = 0
    for a in items:
        for b in items:
            if a != b:
                n += 1
            if a != 3:
                n += 1
    return n


@of(*CALLS)
def items_of_two_classes(x):
    a, b = Pair(x[0], x[1]), Named(x[1], x[0])
    items = [a, b]
    if x[0] > 0:
        items.append(a)
    return items[0] != items[-1], a in items, items.count(b), items.index(a), a != b, b != a


@of(*CALLS)
def by_identity(x):
    a, b = Plain(), Derived()
    c = a if x[0] > 0 else b
    return c != a, c == b, a != b, b != b


test_program = PROGRAMS.test()
