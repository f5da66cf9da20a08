"""Texts, tuples and ranges that the trace knows, cut and searched at places that only a run knows."""

import operator

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

X = np.arange(4)


def _large(x):
    count = 0
    for v in x:
        if v > 1:
            count += 1
    return count


def test_texts_and_tuples():
    def f(x):
        i = _large(x)
        mixed = (1, "a", 2.5)
        return (
            "abcde"[i:],
            "abcde"[:i],
            "abcde"[i::-1],
            (1, 2, 3)[i:],
            mixed[:i],
            len((1, 2)[i:]),
        )

    check(f, (X,), (X * 0,), (X + 5,))


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


def test_bytes_are_refused():
    def f(k):
        return b"abc"[k:]

    with pytest.raises(StagingError, match="Python needs the value of a staged i64"):
        rt.function(f)(np.int64(1))
    check(lambda k: np.frombuffer(b"abc", np.uint8)[k:], (np.int64(1),))
