"""Lists and dicts of what no run can have: variables, functions made inside, iterators, own subclasses."""

import datetime

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
X = np.array([1.5, -2.0, 3.0])


@PROGRAMS.of((X, 1), (X, 0), (X, -1), (X, 5))
def at_a_place_that_only_a_run_knows(x, i):
    functions = [lambda v: v, lambda v: v + 1]
    days = [datetime.date(2020, 1, 1), datetime.date(2021, 2, 3)]
    return functions[i](x[0]), days[i].year


test_program = PROGRAMS.test()


@pytest.mark.parametrize("keep", ["grown", "at a place of a run", "outside"])
def test_who_asks_a_run_for_it_is_refused(keep):
    kept = []

    @rt.function
    def f(x, i):
        held = [lambda v: v, lambda v: v + 1]
        if keep == "grown" and x[0] > 0:
            held.pop()
        elif keep == "at a place of a run":
            held[i] = abs
        elif keep == "outside":
            kept.append(held)
        return held[-1](x[0])

    with pytest.raises(StagingError, match="made inside is read from a list|made inside is kept outside"):
        f(X, np.int64(1))
    assert not kept
