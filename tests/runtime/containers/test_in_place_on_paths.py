"""`a += b` and its like, where the container, or what is put into it, is one of several."""

import numpy as np
import pytest

from tests.differential import check

XS = [(np.array([3.0, 2.0]),), (np.array([0.0, 0.0]),), (np.array([-1.0, 4.0]),)]


def optional_list_and_text(x):
    a = [1] if x[0] >= 0 else None
    b = "p" if x[0] > 2 else "qr"
    try:
        a += b
    except TypeError as error:
        return str(error)
    return a


def two_sets(x):
    a = {1, 2} if x[0] > 2 else {5, 6}
    a &= {2} if x[0] > 2 else {3, 5}
    return a


def optional_dict(x):
    a = {1: 1} if x[0] > 2 else None
    a |= {2: 2} if x[0] > 2 else {3: 3}
    return a


@pytest.mark.parametrize(
    "f",
    [optional_list_and_text, two_sets, optional_dict],
    ids=lambda f: f.__name__,
)
def test_an_optional_container(f):
    check(f, *XS)


def run_time_list(x):
    a = b = [v for v in x if v > 0]
    a += [1, 2] if x[0] > 2 else x
    return a, b


@pytest.mark.parametrize(
    "f",
    [
        run_time_list,
    ],
    ids=lambda f: f.__name__,
)
def test_a_container_of_the_run(f):
    check(f, *XS)


def outside_set_or_another(a, x):
    b = a if x[0] > 2 else {9}
    b ^= {2, 5}
    return a, b


def outside_set_where_there_is_one(a, x):
    b = a if x[0] > 2 else None
    if b is not None:
        b -= {2}
    return b


@pytest.mark.parametrize(
    "f",
    [outside_set_or_another, outside_set_where_there_is_one],
    ids=lambda f: f.__name__,
)
def test_a_set_from_outside(f):
    check(f, *[({1, 2}, *x) for x in XS])
