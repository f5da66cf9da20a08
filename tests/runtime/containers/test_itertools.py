"""itertools, functools.reduce and heapq over lists and ranges of which only a run knows the length."""

import itertools
import math
import operator

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()

X, ROWS = np.array([3.0, 1.0, 1.0]), np.arange(6.0).reshape(2, 3)

NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


@PROGRAMS.of(*NUMBERS)
def running_totals(x):
    kept = [i + 1 for i in range(int(x[0]))]
    totals = list(itertools.accumulate(kept)), list(itertools.accumulate(kept, operator.mul))
    return totals, list(itertools.accumulate(kept, lambda p, q: p - q, initial=10))


@PROGRAMS.of(*NUMBERS)
def products_and_choices(x):
    n = int(x[0])
    kept = [i * i for i in range(n)]
    total = 0
    for a, b in itertools.product(kept, range(2)):
        total += a * b
    for a, b in itertools.combinations(kept, 2):
        total += a - b
    return (
        total,
        list(itertools.permutations(kept, 2)),
        list(itertools.product(kept, "ab")),
        list(itertools.combinations(kept, 3)),
    )


def noted(a, b):
    print("step", a, b)
    return a // (b - 2)


@PROGRAMS.of(*NUMBERS, (np.array([2]),))
def effects_come_one_by_one(x):
    kept = [i + 1 for i in range(int(x[0]))]
    for total in itertools.accumulate(kept, noted):
        print("total", total)
        if total > 100:
            break
    return kept


def kept(x):
    return [v for v in x if v > 1]


#: what is not staged, and what is not for items that only a run knows
REFUSED = {
    "`itertools.filterfalse` is not staged": lambda x: list(itertools.filterfalse(None, x)),
    "`itertools.compress` is not staged": lambda x: list(itertools.compress(x, [1, 0, 1])),
    "`itertools.dropwhile` is not staged": lambda x: list(itertools.dropwhile(lambda v: v < 2, x)),
    "`itertools.tee` is not staged": lambda x: [list(items) for items in itertools.tee(x)],
    "`itertools.combinations_with_replacement` is not staged": lambda x: list(
        itertools.combinations_with_replacement(x, 2)
    ),
    "a list of which only a run knows the length": lambda x: list(itertools.groupby(kept(x))),
    "this range has a length that is only known at run time": lambda x: list(
        zip(range(int(x[0])), itertools.count())
    ),
    "asks for the truth of a staged b1": lambda x: [key for key, _ in itertools.groupby(x)],
    "`math.fsum` is not converted, and cannot work on": lambda x: math.fsum(x),
    "consume the generator with a `for` loop": lambda x: list(zip((v for v in x if v > 1), x)),
}


@pytest.mark.parametrize("words", REFUSED)
def test_it_is_refused(words):
    with pytest.raises(StagingError, match=f"(?s){words}.*hint: "):
        rt.function(REFUSED[words])(X)


def starmap_and_repeat(x, n):
    pairs = [(v, v * 2) for v in x if v > 1]
    kept = list(itertools.starmap(lambda a, b: a - b, pairs)), list(itertools.repeat(5, 2))
    return (
        kept,
        [v * k for v, k in zip(x, itertools.repeat(2.0), strict=False)],
        sum(itertools.repeat(x[0], n)),
    )


def test_starmap_and_repeat():
    assert check(starmap_and_repeat, (X, 3), (-X, 0))


@PROGRAMS.of((-1,))
def a_negative_number_of_choices(r):
    return list(itertools.permutations("abc", r))


@PROGRAMS.of((1,), (2,), (0,), (-1,))
def steps(s):
    return list(itertools.islice("abcd", 0, None, s)), list(itertools.islice(range(9), 1, None, s))


@PROGRAMS.of((2,), (9,), (0,), (-1,), (-2,))
def stops(s):
    return list(itertools.islice("abcd", s)), list(itertools.islice(range(s), s))


@PROGRAMS.of((2,), (-1,))
def stops_of_a_count(s):
    total = 0
    for i in itertools.islice(itertools.count(), s):
        total += i
    return total


@PROGRAMS.of((1,), (3,))
def chain_of_all_items(n):
    return list(itertools.chain(*[[i] for i in range(n)]))


test_program = PROGRAMS.test()
