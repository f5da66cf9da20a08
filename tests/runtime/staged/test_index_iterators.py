"""``np.ndenumerate`` and ``np.ndindex``: indices of arrays, of known and of open lengths."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
SMALL = np.arange(6.0).reshape(2, 3)
LARGE = np.arange(60.0).reshape(6, 10)
EMPTY = np.zeros((0, 3))


@PROGRAMS.of((SMALL,), (LARGE,), (EMPTY,))
def a_condition(x):
    total = 0.0
    for (i, j), v in np.ndenumerate(x):
        if v > 2:
            total += v * i - j
    return total


@PROGRAMS.of((SMALL,), (LARGE,), (EMPTY,))
def writes(x):
    y = np.zeros_like(x)
    for index, v in np.ndenumerate(x):
        y[index] = v + index[0]
    return y


@PROGRAMS.of((SMALL, 2), (SMALL, np.int64(3)), (SMALL, 0), (SMALL, 40))
def a_length_that_a_run_knows(x, n):
    found = []
    for i, j in np.ndindex(n, 2):
        found.append(i * 10 + j)
    return found


@PROGRAMS.of((SMALL,), (LARGE,))
def the_shape(x):
    total = 0
    for index in np.ndindex(x.shape):
        total += x[index] * index[1]
    return total


@PROGRAMS.of((SMALL,), (LARGE,))
def lists(x):
    return list(np.ndenumerate(x)), list(np.ndindex(2, 2))


@PROGRAMS.of((SMALL,), (LARGE,))
def early_return(x):
    for index, v in np.ndenumerate(x):
        if v > 2:
            return index
    return None


@PROGRAMS.of((SMALL,), (LARGE,))
def advanced_by_hand(x):
    items = np.ndenumerate(x)
    first = next(items)
    x[0, 1] = 7.0
    return first, next(items)


@PROGRAMS.of((SMALL, -1), (SMALL, 2))
def a_negative_length(x, n):
    return [index for index in np.ndindex(n)]


test_program = PROGRAMS.test()
