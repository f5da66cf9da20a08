"""Arrays of lists whose numbers are ints or floats, as a run finds: `a = 0`, and later `a = x[i]`."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

LONG = np.random.default_rng(0).normal(size=60)
CALLS = [(LONG,), (np.array([-3.0, -1.0, 2.5, 0.5, -2.0]),), (-np.arange(1.0, 6.0),)]


@of(*CALLS)
def the_last_positive_one(x):
    found, last = [], 0
    for v in x:
        if v > 0:
            last = v
        found.append(last)
    return np.array(found), np.asarray(found).sum(), np.mean(found), np.dot(found, x), np.cumsum(found)[-1]


test_program = PROGRAMS.test()
