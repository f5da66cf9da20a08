"""Records with keys of several kinds, recursion, objects and functions read at a staged place."""

from collections import Counter, namedtuple

import numpy as np

import runtime as rt
from tests.programs import Programs
from tests.runtime.containers.values import X, Y

PROGRAMS = Programs()
Entry = namedtuple("Entry", "key rows")


class Shape:
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s * self.s


class Circle(Shape):
    def area(self):
        return 3.0 * self.s


@PROGRAMS.of((5,), (0,), (3,))
def named_tuple_with_a_list_matched(n):
    entry = Entry(n, [n] * 2) if n > 4 else Entry(-n, [n])
    match entry:
        case Entry(key, [p]):
            return key + p, entry.rows is entry, entry.rows is None
        case Entry(key, [p, *rest]):
            return key * p, len(rest)


@PROGRAMS.of((5,), (0,))
def counted(n):
    c = Counter()
    for i in range(n):
        c[i % 3] += 1
    return dict(c)


@PROGRAMS.of((5,), (0,))
def counted2(n):
    xs = [i % 3 for i in range(n)]
    c = Counter(xs)
    return c.most_common(1)


@PROGRAMS.of((5,), (0,))
def zip_star(n):
    rows = [(i, i * i) for i in range(n)]
    a, b = zip(*rows) if rows else ((), ())
    return a, b


@PROGRAMS.of((X, np.int64(1)), (X, np.int64(0)), (X, np.int64(-1)), (X, np.int64(5)))
def objects_by_staged_index(x, i):
    shapes = [Shape(2.0), Circle(x[0])]
    return shapes[i].area()


@PROGRAMS.of((rt.Tensor(X),), (rt.Tensor(Y),))
def boxed_items(t):
    kept = []
    for k in range(3):
        if t[k] > 0:
            kept.append(t * k)
    total = t
    for v in kept:
        total = total + v
    return kept, total


test_program = PROGRAMS.test()
