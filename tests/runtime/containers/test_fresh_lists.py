"""Lists of lists that branches and handlers change: one trace, whichever of them run."""

import numpy as np
import pytest

import runtime as rt


def written_in_many_branches(x):
    rows = [[0.0, 0.0], [1.0, 1.0]]
    if x[0] > 0:
        rows[0] = [x[0], 0.0]
        rows[0][1] += 1.0
    if x[1] > 0:
        rows[1] = [x[1], 0.0]
        rows[1][1] += 2.0
    if x[2] > 0:
        rows[0] = [x[2], 0.0]
        rows[0][1] += 3.0
    return rows


def written_before_each_raise(x):
    rows = [[0.0, 0.0], [1.0, 1.0]]
    try:
        rows[0] = [x[0], 0.0]
        if x[0] > 1:
            raise ValueError(0)
        rows[1] = [x[1], 0.0]
        if x[1] > 1:
            raise ValueError(1)
        rows[0] = [x[2], 5.0]
        if x[2] > 1:
            raise ValueError(2)
    except ValueError:
        rows[0][0] += 10.0
    return rows


@pytest.mark.parametrize("f", [written_in_many_branches, written_before_each_raise])
def test_each_branch_changes_the_lists(f):
    staged = rt.function(engine="numpy")(f)
    for x in ([1.0, 1.0, 1.0], [-1.0, 2.0, -1.0], [0.5, 0.5, 2.0], [2.0, -1.0, -1.0], [-1.0, -1.0, -1.0]):
        assert staged(np.array(x)) == f(np.array(x))
    assert staged.trace_count == 1
