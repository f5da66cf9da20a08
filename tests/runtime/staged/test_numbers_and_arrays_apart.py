"""A 0-d array on one path and a number on another: only one of the two can be written, so they stay apart."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()

case = PROGRAMS.of((np.float64(1.0),), (-1.5,), (2.0,), (np.float64(-2.5),))


def array_or_number(x):
    return np.asarray(x * 2) if x > 0 else x + 1


def number_or_array(x):
    return np.float64(x * 2) if x > 0 else np.array(3.0)


@case
def says_what_it_is(x):
    y, z = array_or_number(x), number_or_array(x)
    return type(y).__name__, isinstance(z, np.ndarray), hasattr(y, "shape"), repr(z), f"{y:.2f}", y.real


test_program = PROGRAMS.test()
