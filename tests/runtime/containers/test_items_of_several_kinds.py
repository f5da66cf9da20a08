"""An item that is one of several things already, read at a place that only a run knows."""

import numpy as np
import pytest

from tests.differential import check


def a_text_or_a_number(x, k):
    items = ["a", 2]
    if x[0] > 0:
        items[0] = 1.5
    return items[k]


def none_or_a_list(x, k):
    items = [None, 2]
    if x[0] > 0:
        items[0] = [1.5]
    found = items[k]
    return found


def lists_of_different_numbers(x, k):
    rows = [[0.0, 0.0], [1.0, 1.0]]
    if x[0] > 0:
        rows[0] = [x[0], 1.0]
    else:
        rows[0] = [1.0, x[1]]
    rows[k][0] += 1.0
    return rows


def lists_in_a_dict(x, k):
    rows = {0: [0.0, 0.0], 1: [1.0, 1.0]}
    if x[0] > 0:
        rows[0] = [x[0], 1.0]
    else:
        rows[0] = [1.0, x[1]]
    rows[k][0] += 1.0
    return rows


def lists_in_a_tuple(x, k):
    rows = ([0.0, 0.0], [1.0, 1.0])
    if x[0] > 0:
        rows = ([x[0], 1.0], rows[1])
    else:
        rows = (rows[1], [x[1], x[0]])
    rows[k][0] += 1.0
    return rows


def lists_in_loops(x, k):
    rows = [[0.0, 0.0], [1.0, 1.0]]
    if x[0] > 0:
        rows[0] = [x[0], 1.0]
    else:
        rows[0] = [1.0, x[1]]
    total = 0.0
    for row in rows:
        total += row[k]
    for i in range(k + 1):
        total += rows[i][0] * 2
    return total


def pairs_of_chosen_values(x, k):
    pairs = [("a", 1), ("b", 2)]
    if x[0] > 0:
        pairs[0] = ("c", 2.5)
    name, number = pairs[k]
    return name, number


def missing(x, k):
    items = {0: "a", 5: 2}
    if x[0] > 0:
        items[0] = 1.5
    try:
        return items[k]
    except KeyError as error:
        return error.args


PROGRAMS = [
    a_text_or_a_number, none_or_a_list, lists_of_different_numbers, lists_in_a_dict, lists_in_a_tuple,
    lists_in_loops, pairs_of_chosen_values, missing,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_an_item_of_several_kinds_at_a_staged_place(f, engine):
    def place_is_staged(x, k):
        return f(x, int(k))

    calls = [(np.array([sign, 2.0]), np.array(k)) for sign in (1.0, -1.0) for k in (0, 1)]
    check(place_is_staged, *calls, engines=[engine])
