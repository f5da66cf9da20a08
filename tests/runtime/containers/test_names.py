"""Lists under several names: closures, methods, attributes, choices, copies."""

import copy

from tests.programs import Programs
from tests.runtime.containers.values import LONG, X

PROGRAMS = Programs()


@PROGRAMS.of((LONG,), (X,))
def bound_method(x):
    xs = []
    add = xs.append
    for v in x:
        if v > 0:
            add(v)
    return xs


@PROGRAMS.of((5,), (0,))
def closure_append(n):
    xs = []

    def add(v):
        xs.append(v)
        return len(xs)

    t = 0
    for i in range(n):
        t += add(i)
    return xs, t


@PROGRAMS.of((5,), (0,))
def nonlocal_list(n):
    xs = [0]

    def grow():
        nonlocal xs
        xs = xs + [len(xs)]

    for i in range(n):
        grow()
    return xs


@PROGRAMS.of((5,), (0,))
def lambda_list(n):
    xs = []
    add = lambda v: xs.append(v * 2)
    for i in range(n):
        add(i)
    return xs


@PROGRAMS.of((5,), (0,))
def ternary_append(n):
    a, b = [], []
    for i in range(n):
        (a if i % 2 else b).append(i)
    return a, b


@PROGRAMS.of((5,), (0,))
def swap_lists(n):
    a, b = [1], [2]
    for i in range(n):
        a, b = b, a
        a.append(i)
    return a, b


@PROGRAMS.of((5,), (0,))
def list_cond_rebind(n):
    xs = [1]
    ys = xs
    for i in range(n):
        if i == 2:
            xs = []
        xs.append(i)
    return xs, ys, xs is ys


@PROGRAMS.of((5,), (0,))
def none_or_list(n):
    xs = None
    for i in range(n):
        if xs is None:
            xs = []
        xs.append(i)
    return xs


@PROGRAMS.of((5,), (0,))
def copies(n):
    xs = []
    for i in range(n):
        xs.append([i])
    a = xs.copy()
    b = xs[:]
    c = list(xs)
    d = copy.copy(xs)
    a.append([99])
    if n:
        xs[0].append(5)
    return xs, a, b, c, d


@PROGRAMS.of((5,), (0,))
def deep(n):
    xs = []
    for i in range(n):
        xs.append([i])
    d = copy.deepcopy(xs)
    for row in xs:
        row.append(1)
    return xs, d


class Log:
    def __init__(self):
        self.children = []


TREE = Log()


@PROGRAMS.of((5,), (0,), (2,))
def outside_dataclass(n):
    for i in range(n):
        TREE.children.append(i)
    return len(TREE.children), sum(TREE.children)


@PROGRAMS.of((3,), (0,))
def recursion_list(n):
    out = []

    def walk(k):
        if k > 0:
            out.append(k)
            walk(k - 1)

    walk(n)
    return out


@PROGRAMS.of((3,), (0,))
def generator_of_list(n):
    xs = []
    for i in range(n):
        xs.append(i)

    def gen():
        for v in xs:
            if v != 1:
                yield v * 10

    return list(gen()), sum(v for v in xs), max((v for v in xs), default=-1)


@PROGRAMS.of((3,), (1,), (5,), (0,))
def two_names_of_one_of_two_lists(x):
    if x > 2:
        y = [x, 1]
    else:
        y = []
    z = y
    if x > 3:
        y = [x]
    return y is z, y, z


@PROGRAMS.of((3,), (1,), (0,))
def sets_that_iterations_make(x):
    y = {1, 2}
    for i in range(x):
        y = y | {i}
    return y


@PROGRAMS.of((3,), (1,), (9,))
def sets_that_branches_make(x):
    y = {1, 2}
    if x > 0:
        y = y | {3}
    if x > 1:
        y = y - {1}
    if x > 2:
        y = y ^ {5}
    if x > 5:
        y = y | {6}
    return y


test_program = PROGRAMS.test()
