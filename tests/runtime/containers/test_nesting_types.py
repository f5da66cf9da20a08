"""Containers that come to hold what each other holds have no type: that is refused, and ends."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check

KEPT, TABLE = [[1.0]], {"k": [2.0]}


def each_holds_the_other(x):
    if x[0] > 0:
        KEPT.append(TABLE["k"])
        TABLE["l"] = (x[0], KEPT[0])  # an item of TABLE may be a list or this, an item of KEPT what TABLE has
    return len(KEPT)


def rows_of_rows(n):
    rows = []
    for i in range(n):
        rows.append([[i], [[i, n]]])
    return rows


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_that_is_refused_at_the_line(engine):
    with pytest.raises(StagingError, match="nests ever deeper") as caught:
        rt.function(engine=engine)(each_holds_the_other)(np.ones(2))
    assert 'TABLE["l"] = (x[0], KEPT[0])' in str(caught.value)
    assert "container of its own" in str(caught.value)
    assert len(KEPT) == 1
    assert list(TABLE) == ["k"]


def test_what_nests_to_a_known_depth_is_taken():
    check(rows_of_rows, Call(3), Call(0), Call(1))
