"""`sum` of floats is that of the Python that runs: from 3.12 on it keeps what rounding loses."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
case = PROGRAMS.of


@case((1e16, 1.0, 3), (0.1, 0.2, -4), (np.float64(1e16), 1.0, 3))
def of_several_kinds(a, b, n):
    return sum([a, b, -a]), sum((n, a, n, b, True, -a)), sum([a, np.float64(b), b, -a]), sum([], n)


test = PROGRAMS.test()
