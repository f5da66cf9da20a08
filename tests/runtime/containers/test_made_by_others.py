"""What star targets, keyword arguments, copies and calls make can grow under a condition of the run."""

import copy
from collections import Counter, OrderedDict, deque, namedtuple

import numpy as np

from tests.programs import Programs
from tests.runtime.containers.values import X

PROGRAMS = Programs()
Pair = namedtuple("Pair", "a b")
CALLS = ((X,), (-X,))


@PROGRAMS.of(*CALLS)
def star_targets(x):
    _, *rest = [1, 2, 3]
    first, *others = (1, 2, 3)
    for v in x:
        if v > 0:
            rest.append(v)
            others.append(first)
    return rest, others


@PROGRAMS.of(*CALLS)
def keyword_arguments(x):
    def inner(**named):
        if x[0] > 0:
            named["z"] = 1
        return named

    return inner(a=1, b=2)


@PROGRAMS.of(*CALLS)
def captures_of_match(x):
    match [1, 2, 3]:
        case [_, *rest]:
            if x[0] > 0:
                rest.append(4)
    match {"a": 1, "b": 2}:
        case {"a": _, **others}:
            if x[0] > 0:
                others["c"] = 4
    return rest, others


@PROGRAMS.of(*CALLS)
def parts_of_arrays(x):
    parts, halves = np.split(x, len(x)), np.array_split(x, 2)
    if x[0] > 0:
        parts.append(x)
        halves.append(x)
    return parts, halves


@PROGRAMS.of(*CALLS)
def copies(x):
    a, b, c = copy.copy([1, 2]), copy.deepcopy([[1], {"k": [2]}]), copy.copy(deque([1]))
    if x[0] > 0:
        a.append(3)
        b[0].append(3)
        b[1]["k"].append(4)
        b.append([5])
        c.append(2)
    return a, b, c


@PROGRAMS.of(*CALLS)
def dicts(x):
    a, b, c = {"a": 1} | {"b": 2}, dict.fromkeys("ab", 0), Pair(1, 2)._asdict()
    d = OrderedDict(a=1, b=2)
    if x[0] > 0:
        a["c"] = b["c"] = c["c"] = d["c"] = 3
    return a, b, c, d, dict.fromkeys([int(x[0]), 2], 1.0)


@PROGRAMS.of(*CALLS)
def sets(x):
    a, b, c, d = {1} | {2}, {1, 2} & {2}, {1, 2} - {1}, {1, 2} ^ {1}
    e, f, g = {1}.copy(), {1}.union([3]), Counter("aab")
    if x[0] > 0:
        for one in (a, b, c, d, e, f):
            one.add(7)
        g["z"] += 1
    return a, b, c, d, e, f, g


@PROGRAMS.of(([3, 4, 5, 6],))
def a_table_of_32_rows(w):
    table = [[0] * 32 for _ in range(32)]
    for i in range(1, 32):
        for j in range(1, 32):
            table[i][j] = max(table[i - 1][j - 1] + w[(i + j) % 4], table[i][j - 1])
    return table[31][31]


test_program = PROGRAMS.test()
