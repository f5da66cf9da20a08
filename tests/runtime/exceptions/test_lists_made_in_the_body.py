"""Lists that the body of a `try` makes, in variables that live on after it: the handler gets them, too."""

import numpy as np
import pytest

from tests.differential import check
from tests.long import some


def a_list(x, n):
    two = 0
    try:
        two = [1.0, x[2] * 2]
        if x[0] > 0:
            raise ValueError
        two = 3
    except ValueError:
        print(x[0])
    return two


def a_tuple(x, n):
    two = 0
    try:
        two = ([1.0, x[2] * 2], 0)
        if x[0] > 0:
            raise ValueError
        two = 3
    except ValueError:
        print(x[0])
    return two


def a_tuple_where_print_may_raise(x, n):
    two = 0
    try:
        two = ([1.0, x[2] * 2], 0)
        print(x[0])
        two = 3
    except ValueError:
        print(x[0])
    return two


def a_tuple_or_another(x, n):
    r = [x[1], 1.0]
    try:
        two = ([1.0, x[2] * 2], 0)
        print(x[0])
        two = (r, 0)
    except ValueError:
        print(x[0])
    return two


def a_try_in_the_body(x, n):
    r = [x[1], 1.0]
    try:
        two = ([1.0, x[2] * 2], 0)
        print(x[0])
        try:
            print(x[1])
        except ValueError:
            x = x + 1
        two = (r, 0)
    except ValueError:
        print(x[0])
    return two


def a_list_or_another(x, n):
    r = [x[1], 1.0]
    try:
        two = [1.0, x[2] * 2]
        print(x[0])
        try:
            print(x[1])
        except ValueError:
            x = x + 1
        two = r
    except ValueError:
        print(x[0])
    return two


def returned_by_the_handler(x, n):
    try:
        two = [1.0, x[2] * 2]
        raise ValueError
    except ValueError:
        return two


def changed_by_the_handler(x, n):
    try:
        two = [1.0, x[2] * 2]
        if x[0] > 0:
            raise ValueError
    except ValueError:
        two[0] = 7.0
    return two


def a_tuple_changed_by_the_handler(x, n):
    try:
        two = ([1.0, x[2] * 2], 1)
        if x[0] > 0:
            raise ValueError
    except ValueError:
        two[0][0] = 7.0
    return two


def a_tuple_of_constants(x, n):
    two = None
    try:
        two = ([1.0, 2.0], 1)
        if x[0] > 0:
            raise ValueError
    except ValueError:
        two[0][0] = 7.0
    return two


def a_list_with_two_names(x, n):
    try:
        one = [1.0, x[2] * 2]
        two = (one, 1)
        if x[0] > 0:
            raise ValueError
        two = (one, 2)
    except ValueError:
        two[0][0] = 7.0
    return one, two


def tuples_put_into_a_dict(x, n):
    two = {}
    try:
        two["a"] = ([1.0, x[2] * 2], 1)
        if x[0] > 0:
            raise ValueError
        two["b"] = two["a"]
    except ValueError:
        two["a"][0][0] = 7.0
    return two


PROGRAMS = [
    a_list,
    a_tuple,
    a_tuple_where_print_may_raise,
    a_tuple_or_another,
    a_try_in_the_body,
    a_list_or_another,
    returned_by_the_handler,
    changed_by_the_handler,
    a_tuple_changed_by_the_handler,
    a_tuple_of_constants,
    a_list_with_two_names,
    tuples_put_into_a_dict,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", some(["native", "numpy"]))
def test_a_list_made_in_the_body(f, engine):
    check(f, (np.array([1.0, 2.0, 3.0]), 2), (np.array([-1.0, 2.0, 3.0]), 2), engines=[engine])
