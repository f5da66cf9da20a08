"""Strings built in loops, their methods; texts, tuples and ranges cut at places that only a run knows."""

import operator

import numpy as np

from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()


@PROGRAMS.of((5,), (0,), (40,))
def string_len(n):
    s = ""
    for i in range(n):
        s = s + "ab"
    return len(s), s[0] if s else None, s == "abab", "ab" in s, s * 2, s.upper()


X = np.arange(4)


def test_at_an_argument_of_numpy():
    def f(k):
        return "abc"[k:], "abc"[:k], (1, 2.5, "a")[:k], [1, 2, 3][k:], list(enumerate("ab", k))

    check(f, (np.int64(1),), (np.int64(0),), (np.int64(2),), (1,))


def test_functions_of_operator():
    def index(x):
        return operator.index(x), operator.index(x)

    def item(k, table, items):
        own = [3, 1]
        own.append(operator.getitem(own, k))
        found = [operator.getitem(of, k) for of in (items, "abc", (1, 2, 3), np.arange(3) * k)]
        return found, operator.getitem(items, slice(k, None)), operator.getitem(table, "a"), own

    calls = (np.int64(2),), (True,), (np.array(3),), (2.5,), (np.float64(2),), (np.bool_(True),), (X,)
    for call in calls:
        check(index, call)
    check(item, (np.int64(1), {"a": 2}, [1, 2]), (np.int64(0), {"a": 2}, [1.5, 2]))


test_program = PROGRAMS.test()
