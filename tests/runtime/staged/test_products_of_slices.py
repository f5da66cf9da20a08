"""Products of slices whose lengths only a run knows, as textbooks write them."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
RNG = np.random.default_rng(3)
SQUARE = RNG.normal(size=(36, 36))


@PROGRAMS.of((RNG.normal(size=40) * 0.1,), (RNG.normal(size=40) * 0.2,))
def durbin(r):
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, len(r)):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@PROGRAMS.of((SQUARE, np.array([3, 4])), (SQUARE, np.array([5, 0])))
def products_of_all_kinds(a, lengths):
    n, m = int(lengths[0]), int(lengths[1])
    rows, columns = a[:n, :m], a[:m, :n]
    return (
        np.dot(rows, columns), rows.dot(columns), np.inner(rows, rows), np.vdot(rows, rows),
        np.tensordot(rows, columns, axes=1), np.outer(rows[:, 0] if m else rows, columns),
    )  # fmt: skip


# -- ``np.ndenumerate`` and ``np.ndindex``: indices of arrays, of known and of open lengths

SMALL = np.arange(6.0).reshape(2, 3)


@PROGRAMS.of((SMALL, -1), (SMALL, 2))
def a_negative_length(x, n):
    return [index for index in np.ndindex(n)]


test_program = PROGRAMS.test()
