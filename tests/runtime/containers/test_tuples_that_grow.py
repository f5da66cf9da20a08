"""A tuple that a loop makes longer: one of each turn that is unrolled; no run knows how long it is."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
X = np.random.default_rng(3).normal(size=40)
case = PROGRAMS.of


@case((X,), (-X[:5],), (X[:0],), (np.full(40, 2.0),))
def in_each_turn(x):
    path = (0, "start")
    for v in x:
        path = (*path, v) if v > 0 else path + (None, 1)
    return path, path[-1] is None, "start" in path


test = PROGRAMS.test()


def test_a_length_that_only_a_run_knows_is_refused():
    @rt.function
    def f(x):
        found, i = (), 0
        while x[i] > 0:
            found += (x[i],)
            i += 1
        return found

    with pytest.raises(StagingError, match="`found` never settles on a type") as refused:
        f(X)
    assert "collect the parts in a list" in (refused.value.hint or "")
