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


def test_in_a_loop_over_what_is_left():
    def f(x, text):
        total = 0
        for v in (1, 2, 3, 4)[int(x.sum()) :]:
            total += v
        i = 0
        while i < len(text) and text[i] != " ":
            i += 1
        return total, text[:i], text[i + 1 :], "abc"[i:]

    check(f, (X * 0, "ab cd"), (np.array([1, 1]), "abcd"))


def test_enumerate_from_a_number_of_a_run():
    def f(k):
        for i, c in enumerate("ab", k):
            print(i, c)
        return [(i, v) for i, v in enumerate([3, 4.5], k)], list(enumerate((c for c in "ab"), k))

    check(f, (np.int64(2),), (np.int64(5),))


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


def test_keys_of_which_some_are_known_meet_others():
    """One text of the run holds all the texts that the trace knows, not the first of them."""

    def in_loop(x, table):
        for v in x:
            if v > 1:
                table = {k: w * 2 for k, w in table.items()}
        return table

    def on_a_path(x, table):
        if x[0] > 1:
            table = {k: w * 2 for k, w in table.items()}
        return [w for k, w in table.items()], table

    for f in (in_loop, on_a_path):
        check(f, (X, {"a": 1, "b": 2}), (X + 5, {"a": 1, "b": 2}), (X, {"a": 2.5}))
