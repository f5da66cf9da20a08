"""What a call iterates over: arrays and iterators of an unknown length, and what cannot be iterated over."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
X, ALL, ROWS = np.array([0.0, 2.0, 3.0]), np.array([5.0, 2.0, 3.0]), np.arange(6.0).reshape(3, 2)
NO_DIMENSION = np.array(3)


@PROGRAMS.of((X,), (ALL,))
def chosen_items(x):
    y = x[x > 1]
    extended = [1]
    extended.extend(y)
    return list(y), tuple(y), [*y], (1, *y), {*y}, extended


@PROGRAMS.of((ROWS,))
def chosen_rows(x):
    kept = x[x[:, 0] > 1]
    return list(kept), [*kept]


@PROGRAMS.of((0,), (3,))
def starred_iterators(n):
    print(*zip(range(n), range(n)))
    pairs = [*zip(range(n), range(n))], [*enumerate(range(n))]
    return pairs, [*reversed(range(n))], [*iter(range(n))]


@PROGRAMS.of((NO_DIMENSION,))
def length_of_no_dimension(x):
    return len(x)


@PROGRAMS.of((X,))
def next_as_a_method(x):
    return map(abs, [x]).__next__(), zip([1]).__next__()


test_program = PROGRAMS.test()
