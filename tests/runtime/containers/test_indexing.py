"""Lists, tuples, strings and dicts that the trace knows, at places that only a run knows."""

import numpy as np

from tests.programs import Programs
from tests.runtime.containers.values import LONG, X

PROGRAMS = Programs()


@PROGRAMS.of((X, np.int64(0)), (X, np.int64(2)), (X, np.int64(-1)), (X, np.int64(3)), (X, 1), (X, 5), (X, -3))
def indexed(x, i):
    weights = [0.5, 2.0, 8.0]
    return x * weights[i]


@PROGRAMS.of((X, 1), (X, 5), (X, 0))
def mixed(x, i):
    w = [1, 2.5, None]
    return w[i]


@PROGRAMS.of((X, 1), (X, 5), (X, 0))
def tup(x, i):
    w = (x, x * 2, 3)
    return w[i]


@PROGRAMS.of(([3, 1, 2], 1), ([3, 1, 2], 5))
def arg_index(xs, i):
    return xs[i]


@PROGRAMS.of(([3, 1, 2], 0, 9), ([3, 1, 2], -1, 8), ([3, 1, 2], 5, 1))
def arg_set(xs, i, v):
    xs[i] = v
    return xs


@PROGRAMS.of((X, 1), (X, -2), (X, 7))
def const_tuple(x, i):
    return (1.5, 2.5, 3.5)[i] * x


@PROGRAMS.of((1,), (-2,), (7,))
def str_index(i):
    return "abc"[i]


@PROGRAMS.of(("a",), ("b",), ("z",))
def dict_by_str(k):
    return {"a": 1, "b": 2}[k]


@PROGRAMS.of((1,), (2,), (7,))
def dict_by_int(k):
    d = {1: "x", 2: None}
    return d[k], d.get(k)


@PROGRAMS.of((3,), (0,), (9,))
def binary_search(k):
    xs = [1, 3, 5, 7, 9, 11]
    lo, hi = 0, len(xs)
    while lo < hi:
        mid = (lo + hi) // 2
        if xs[mid] < k:
            lo = mid + 1
        else:
            hi = mid
    return lo


@PROGRAMS.of((LONG,), (-LONG,))
def dict_choice(x):
    c = {"a": 0, "b": 0}
    for v in x:
        c["a" if v > 0 else "b"] += 1
    return c


@PROGRAMS.of((5,), (0,))
def counters(n):
    c = {"even": 0, "odd": 0}
    for i in range(n):
        c["odd" if i % 2 else "even"] += 1
    return c


@PROGRAMS.of((3,), (1,))
def reads_and_stores_that_fail_beside_a_list_of_a_run(n):
    grown, said, items, table = [], [], [0, 1], {}
    for i in range(n):
        grown.append(i)
    for k in range(6, 8):
        try:
            items[k] += 2
        except IndexError as error:
            said.append(str(error))
    try:
        said.append(items[k])
    except IndexError as error:
        said.append(str(error))
    try:
        table["a"]["b"] += n
    except KeyError as error:
        said.append(error.args)
    try:
        del items[k]
    except IndexError as error:
        said.append(str(error))
    return said, grown


@PROGRAMS.of((3, [1, 2, 3]), (1, [1, 2, 3]))
def handlers_of_reads_in_staged_loops(n, items):
    grown, total = [], 0
    for k in range(n):
        grown.append(k)
        try:
            total += items[k + 2]
        except IndexError:
            total += 100
    try:
        total += items[n + 7]
    except LookupError:
        total = -total
    return total, grown


test_program = PROGRAMS.test()
