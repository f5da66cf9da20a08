"""Who holds a tuple, or one of several values, holds the lists in it: both names see a change."""

import numpy as np
import pytest

from tests.differential import check
from tests.long import some


def tuples_in_a_list(x, n):
    root = [([x[2] * 2, 2.5],), ([x[2] * 2, 1.0],)]
    if x[1] > x[2]:
        root[0] = ([x[0], 1.0],)
    if n > 1:
        root[1] = root[0]
    root[0][0][0] = 7.0
    return root


def a_tuple_with_two_names(x, n):
    t = ([x[2], 1.0], 2.0)
    if x[1] > x[2]:
        t = ([x[1], 3.0], 4.0)
    u = t
    if n > 1:
        u = ([0.0, x[0]], 5.0)
    u[0][0] = 9.0
    return t, u


def tuples_in_a_dict(x, n):
    d = {"a": ([x[2], 1.0], 2.0), "b": ([x[1], 1.0], 2.0)}
    if x[1] > x[2]:
        d["a"] = d["b"]
    if n > 1:
        d["b"] = d["a"]
    d["a"][0][1] += 10.0
    return d


def tuples_in_a_dict_in_a_loop(x, n):
    d = {"a": ([x[2], 1.0], 2.0), "b": ([x[1], 1.0], 2.0)}
    for i in range(n):
        if x[1] > i:
            d["a"] = d["b"]
        else:
            d["b"] = ([float(i), x[0]], 1.0)
        d["a"][0][1] += 10.0
    return d


def lists_in_lists(x, n):
    r = [[[x[0]], [x[1]]], [[x[2]], [0.0]]]
    if x[1] > x[2]:
        r[0] = [[x[1]], r[0][1]]
    if n > 1:
        r[1] = r[0]
    r[1][0][0] = 4.0
    r[0][1][0] += 4.0
    return r


def a_list_or_none_twice(x, n):
    r = [None, None]
    if x[1] > x[2]:
        r[0] = [x[1]]
    if n > 1:
        r[1] = r[0]
    if r[1] is not None:
        r[1][0] = 4.0
    if r[0] is not None:
        r[0][0] += 4.0
    return r


def a_chosen_list_held_twice(x, n):
    p = None
    if x[1] > x[2]:
        p = [x[1], 1.0]
    q = [p, p]
    if n > 1:
        q[0] = None
    if q[1] is not None:
        q[1][0] = 8.0
    return p, q


def a_list_or_a_number_held_twice(x, n):
    p = 1.5
    if x[1] > x[2]:
        p = [x[1], 1.0]
    q = {"p": p}
    if n > 1:
        q["r"] = p
    else:
        q["r"] = [0.0]
    if x[1] > x[2]:
        q["p"][0] = 8.0
    return p, q


def one_of_two_lists_held_twice(x, n):
    root = [[x[2] * 2, 2.5], [x[2] * 2, 1.0]]
    one = [2.5, 1.0]
    if x[1] > x[2]:
        root[0] = one
    if n > 1:
        root[1] = root[0]
    return root, one


PROGRAMS = [
    tuples_in_a_list,
    a_tuple_with_two_names,
    tuples_in_a_dict,
    tuples_in_a_dict_in_a_loop,
    lists_in_lists,
    a_list_or_none_twice,
    a_chosen_list_held_twice,
    a_list_or_a_number_held_twice,
    one_of_two_lists_held_twice,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", some(["native", "numpy"]))
def test_both_names_see_a_change(f, engine):
    calls = [(np.array([-1.0, second, 0.5]), n) for second in (2.0, -2.0) for n in (3, 0)]
    check(f, *calls, engines=[engine])
