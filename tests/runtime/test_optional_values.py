"""A value that is None, or of one kind or another: where a test has told which, it is only that."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
ITEMS = ([1.0, 3.0, 9.0], -2), ([1.0, 3.0, 9.0], 6), ([-1.0, 1.0, 9.0], 3), ([-1.0, 3.0, 9.0], -6)
case = PROGRAMS.of(*[(np.array(items), n) for items, n in (*ITEMS, ([-1.0, 0.0, 9.0], 5))])


def found(x, n):
    if x[0] < 0:
        return x[1]
    return None


@case
def in_a_branch(x, n):
    w = found(x, n)
    r = x[0]
    if w is not None:
        r = np.sqrt(w) + np.maximum(w, x[2]) + np.array([w, 1.0]).sum() + max(w, x[2])
        if n > 2:
            r += np.where(x > 1, w, 0.0)[2] + np.full(2, fill_value=w)[0]
    return r


@case
def compared_with_nothing_by_max(x, n):
    w = found(x, n)
    try:
        return max(w, x[2]), min(x[2], w)
    except TypeError:
        return x[0], x[1]


# -- `if state is None: state = ...` in a loop: after it the value is what both paths leave, and not None

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
