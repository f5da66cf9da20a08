"""Loops over lists and dicts whose items the trace knows, which the body changes."""

import copy

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()

CALLS = [(np.array([3.0, 1.0, 2.0, 5.0]),), (np.array([-3.0, 2.0, 1.0, 1.0]),)]


class Held:
    """What an object holds is a list, or a dict, of the run."""

    def __init__(self):
        self.items = [1.0, 2.0, 3.0]
        self.table = {"a": 1.0, "b": 2.0, "c": 3.0}


def taken_out(x):
    held = Held()
    for _ in held.table.keys():
        if x[0] > 0:
            held.table.pop("c", None)
    return held.table


def numbered(x):
    held = Held()
    for _ in enumerate(held.table):
        held.table["new"] = x[0]
    return held.table


def of_a_run(x):
    items = []
    for value in x:
        if value > 0:
            items.append(value)
    pairs = zip(items, items, strict=False)
    items.append(4.0)
    return list(pairs)


@pytest.mark.parametrize("program", [taken_out, numbered, of_a_run])
def test_refused(program):
    with pytest.raises(StagingError, match="changes its length|has changed its length"):
        rt.function(program)(*CALLS[0])


X = np.array([1.0, -2.0, 3.0])


@PROGRAMS.of((X,), (-X,))
def copies_share_what_python_shares(x):
    rows = [[1.0], [2.0]]
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    if x[0] > 0:
        rows[0][0] = 9.0
    shallow.append([3.0])
    return rows, shallow, deep


test_program = PROGRAMS.test()
