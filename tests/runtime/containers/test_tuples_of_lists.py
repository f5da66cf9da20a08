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


PROGRAMS = [
    tuples_in_a_list,
    tuples_in_a_dict,
    tuples_in_a_dict_in_a_loop,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", some(["native", "numpy"]))
def test_both_names_see_a_change(f, engine):
    calls = [(np.array([-1.0, second, 0.5]), n) for second in (2.0, -2.0) for n in (3, 0)]
    check(f, *calls, engines=[engine])
