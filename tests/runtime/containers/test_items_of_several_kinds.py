"""An item that is one of several things already, read at a place that only a run knows."""

import numpy as np
import pytest

from tests.differential import check


def lists_in_a_tuple(x, k):
    rows = ([0.0, 0.0], [1.0, 1.0])
    if x[0] > 0:
        rows = ([x[0], 1.0], rows[1])
    else:
        rows = (rows[1], [x[1], x[0]])
    rows[k][0] += 1.0
    return rows


def pairs_of_chosen_values(x, k):
    pairs = [("a", 1), ("b", 2)]
    if x[0] > 0:
        pairs[0] = ("c", 2.5)
    name, number = pairs[k]
    return name, number


PROGRAMS = [
    lists_in_a_tuple,
    pairs_of_chosen_values,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_an_item_of_several_kinds_at_a_staged_place(f, engine):
    def place_is_staged(x, k):
        return f(x, int(k))

    calls = [(np.array([sign, 2.0]), np.array(k)) for sign in (1.0, -1.0) for k in (0, 1)]
    check(place_is_staged, *calls, engines=[engine])
