"""What star targets, keyword arguments, copies and calls make can grow under a condition of the run."""

import copy
from collections import OrderedDict, deque, namedtuple

from tests.programs import Programs
from tests.runtime.containers.values import X

PROGRAMS = Programs()
Pair = namedtuple("Pair", "a b")
CALLS = ((X,), (-X,))


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


@PROGRAMS.of(([3, 4, 5, 6],))
def a_table_of_32_rows(w):
    table = [[0] * 32 for _ in range(32)]
    for i in range(1, 32):
        for j in range(1, 32):
            table[i][j] = max(table[i - 1][j - 1] + w[(i + j) % 4], table[i][j - 1])
    return table[31][31]


test_program = PROGRAMS.test()
