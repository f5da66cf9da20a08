"""`if state is None: state = ...` in a loop: after it the value is what both paths leave, and not None."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of

CALLS = [
    (np.array(values), np.int64(n)) for values, n in (([3.0, 4.0], 6), ([1.0, -2.0], 5), ([0.0, 0.0], 2))
]


@of(*CALLS)
def still_none(x, n):
    factors = None
    if x[0] > 2:
        factors = [x[0], x[1]]
    total = np.float64(0.0)
    try:
        for a, b in zip(x, factors):
            total += a * b
        for i, b in enumerate(factors):
            total += i * b
    except TypeError as error:
        return str(error)
    return total


@of(*CALLS)
def none_at_the_line(x, n):
    factors = [x[0], x[1]] if x[0] > 2 else None
    return [a + b for a, b in zip(factors, [1.0, 2.0])]


test_program = PROGRAMS.test()
