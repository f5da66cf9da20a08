"""A tuple that a loop makes longer, perhaps under a condition: of the run, as a list would be."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
X = np.random.default_rng(3).normal(size=40)
CALLS = [(X,), (-X[:5],), (X[:0],), (np.full(40, 2.0),)]
case = PROGRAMS.of


@case(*CALLS)
def with_a_beginning(x):
    path = (0, "start")
    for v in x:
        path = (*path, v) if v > 0 else path + (None, 1)
    return path, path[-1] is None, "start" in path


@case(*CALLS)
def in_two_loops(x):
    rows = ()
    k = 0
    while k < len(x):
        row = ()
        while k < len(x) and x[k] > -1:
            row = row + (x[k],)
            k += 1
        k += 1
        rows = rows + (row,)
    return rows


@case(*CALLS)
def returned_early(x):
    seen = ()
    for v in x:
        if v in seen:
            return seen, True
        seen += (v,)
    return seen, False


test = PROGRAMS.test()
