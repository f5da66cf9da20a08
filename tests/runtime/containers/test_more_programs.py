"""Records with keys of several kinds, recursion, objects and functions read at a staged place."""

from collections import namedtuple

import numpy as np
import pytest

import runtime as rt
from tests.differential import Refused, check
from tests.programs import Programs
from tests.runtime.containers.values import X, Y

PROGRAMS = Programs()

Entry = namedtuple("Entry", "key rows")


@PROGRAMS.of((5,), (0,))
def zip_star(n):
    rows = [(i, i * i) for i in range(n)]
    a, b = zip(*rows) if rows else ((), ())
    return a, b


@PROGRAMS.of((rt.Tensor(X),), (rt.Tensor(Y),))
def boxed_items(t):
    kept = []
    for k in range(3):
        if t[k] > 0:
            kept.append(t * k)
    total = t
    for v in kept:
        total = total + v
    return kept, total


def columns(x):
    rows = [(i, v * 2) for i, v in enumerate(x) if v > 0]
    ragged = [[v, 1.0] if v > 2 else [v] for v in x if v > 0]
    return list(zip(*rows, strict=False)), [sum(column) for column in zip(*ragged, strict=False)]


def columns_of_rows_that_change(x):
    rows = [[v] for v in x if v > 0]
    arrays = [x[i : i + 2] for i in range(len(x) - 1) if x[i] > 0]
    made, of_arrays = zip(*rows, strict=False), zip(*arrays, strict=False)
    for row in rows:
        row.append(7.0)
    x[0] = 9.0
    return list(made), list(of_arrays)


@pytest.mark.parametrize("f", [columns, columns_of_rows_that_change])
def test_zip_of_rows_of_which_only_a_run_knows_the_number(f):
    assert check(f, *[(np.array(x),) for x in ([1.0, -2.0, 3.0], [-1.0, -2.0], [4.0, 5.0])])


def test_zip_of_rows_that_are_no_sequences_is_refused():
    def f(x):
        rows = [{i: v} for i, v in enumerate(x) if v > 0]
        return list(zip(*rows, strict=False))

    with pytest.raises(Refused, match="are passed to `zip`"):
        check(f, (np.array([1.0, 2.0]),))


test_program = PROGRAMS.test()
