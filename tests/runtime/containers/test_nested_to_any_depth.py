"""Lists and dicts that may lie in each other to any depth are refused at the line that puts one in."""

from __future__ import annotations

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

UP, DOWN = np.array([1.0, 2.0]), np.array([-1.0])


def a_copy_of_a_list(c, x):
    for v in x:
        if v > 1:
            c.append(c[:])
    return c


def a_copy_of_a_dict(c, x):
    for v in x:
        if v > 1:
            c["p"] = dict(c)
    return c


def itself(c, x):
    c = [1]
    for v in x:
        if v > 0:
            c.append(c)
    return len(c)


def a_list_of_lists(c, x):
    node = [1, None]
    for v in x:
        if v > 0:
            node = [v, node]
    return node


def of_one_line(c, x):
    def row():
        return []

    rows = row()
    for v in x:
        one = row()
        if v > 0:
            one.append(v)
            rows.append(one)
    return rows


@pytest.mark.parametrize(
    ("f", "given"),
    [
        (a_copy_of_a_list, [3]),
        (a_copy_of_a_dict, {"a": 1}),
        (itself, 0),
        (a_list_of_lists, 0),
        (of_one_line, 0),
    ],
)
def test_it_is_refused(f, given):
    with pytest.raises(StagingError, match="lie in each other to any depth") as caught:
        rt.function(f)(given, UP)
    first = f.__code__.co_firstlineno
    assert first < caught.value.line < first + 12


def test_copies_in_another_list():
    def f(x):
        history, c, d = [], [], {}
        for v in x:
            if v > 0:
                c.append(v)
                d[v] = 1
                history.append((c[:], dict(d)))
        return history

    check(f, (UP,), (DOWN,))
