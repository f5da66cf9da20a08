"""Records with keys of several kinds, recursion, objects and functions read at a staged place."""

from collections import namedtuple

import numpy as np
import pytest

import runtime as rt
from tests.differential import CallOf, Refused, check
from tests.programs import Programs
from tests.runtime.containers.values import X, Y

PROGRAMS = Programs()

Entry = namedtuple("Entry", "key rows")


@PROGRAMS.of((5,), (0,))
def zip_star(n):
    rows = [(i, i * i) for i in range(n)]
    a, b = zip(*rows) if rows else ((), ())
    return a, b


@PROGRAMS.of((rt.Tensor(X),), (rt.Tensor(Y),))
def boxed_items(t):
    kept = []
    for k in range(3):
        if t[k] > 0:
            kept.append(t * k)
    total = t
    for v in kept:
        total = total + v
    return kept, total


def columns(x):
    rows = [(i, v * 2) for i, v in enumerate(x) if v > 0]
    ragged = [[v, 1.0] if v > 2 else [v] for v in x if v > 0]
    return list(zip(*rows, strict=False)), [sum(column) for column in zip(*ragged, strict=False)]


def columns_of_rows_that_change(x):
    rows = [[v] for v in x if v > 0]
    arrays = [x[i : i + 2] for i in range(len(x) - 1) if x[i] > 0]
    made, of_arrays = zip(*rows, strict=False), zip(*arrays, strict=False)
    for row in rows:
        row.append(7.0)
    x[0] = 9.0
    return list(made), list(of_arrays)


@pytest.mark.parametrize("f", [columns, columns_of_rows_that_change])
def test_zip_of_rows_of_which_only_a_run_knows_the_number(f):
    assert check(f, *[(np.array(x),) for x in ([1.0, -2.0, 3.0], [-1.0, -2.0], [4.0, 5.0])])


def test_zip_of_rows_that_are_no_sequences_is_refused():
    def f(x):
        rows = [{i: v} for i, v in enumerate(x) if v > 0]
        return list(zip(*rows, strict=False))

    with pytest.raises(Refused, match="are passed to `zip`"):
        check(f, (np.array([1.0, 2.0]),))


# -- Arrays of lists whose numbers are ints or floats, as a run finds: `a = 0`, and later `a = x[i]`

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


# -- `sum` of floats is that of the Python that runs: from 3.12 on it keeps what rounding loses

case = PROGRAMS.of


@case((1e16, 1.0, 3), (0.1, 0.2, -4), (np.float64(1e16), 1.0, 3))
def of_several_kinds(a, b, n):
    return sum([a, b, -a]), sum((n, a, n, b, True, -a)), sum([a, np.float64(b), b, -a]), sum([], n)


# -- Lists of lists of numbers are data from their first length: one trace for all sizes


def product(a, b):
    out = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i][j] += a[i][k] * b[k][j]
    return out


def unpacks(a, b):
    (p, q, *_), *_rest = a
    return p * q, len(_rest)


def as_arrays(a, b):
    return np.array(a) @ np.array(b), np.sum(a), np.zeros((len(a), len(a[0])))


def neighbours(a, b):
    seen, todo = [False] * len(a), [0]
    while todo:
        at = todo.pop()
        if not seen[at]:
            seen[at] = True
            for other in a[at]:
                todo.append(int(other) % len(a))
    return seen


def table(n, kind=float):
    return [[kind(i * j % 7) for j in range(n)] for i in range(n)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_means_the_same(program):
    def same():
        row = [1.0, 2.0]
        return ([row, row],) * 2

    calls = [lambda n=n: (table(n), table(n)) for n in (2, 3, 5)]
    check(
        program,
        *map(CallOf, [*calls, same, lambda: (table(2, int), table(2)), lambda: ([[1.5, 2]] * 2,) * 2]),
    )


test_program = PROGRAMS.test()
