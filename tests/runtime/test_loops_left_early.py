"""Loops over sets, indices and the iterators of itertools that end early, where only a run knows it."""

import itertools

import numpy as np
import pytest

from tests.differential import Call, Refused, check

ROWS = np.random.default_rng(7).normal(size=(20, 3))

ITERATORS = {
    "product": lambda x: itertools.product([0, 1, 2], (0, 1)),
    "product of ranges": lambda x: itertools.product(range(20), range(2)),
    "combinations": lambda x: itertools.combinations([0, 1, 2, 3], 2),
    "combinations of an array": lambda x: itertools.combinations(x[:, 0], 2),
    "permutations": lambda x: itertools.permutations((0, 1, 2), 2),
    "pairwise": lambda x: itertools.pairwise([3, 1, 4, 1, 5]),
    "pairwise of an array": lambda x: itertools.pairwise(x[:, 1]),
    "pairwise of a map": lambda x: itertools.pairwise(map(np.exp, x[:4, 1])),
    "zip_longest": lambda x: itertools.zip_longest(range(4), [2, 3], fillvalue=1),
    "islice": lambda x: itertools.islice([(1, 2), (3, 4), (5, 6)], 1, 3),
    "accumulate": lambda x: ((s, 1) for s in itertools.accumulate([1, 2, 3])),
    "accumulate of a range": lambda x: ((s, 1) for s in itertools.accumulate(range(4))),
    "sums of an array": lambda x: itertools.pairwise(itertools.accumulate(x[:9, 0])),
    "set": lambda x: {(3, 1), (2, 2)},
    "ndindex": lambda x: np.ndindex(4, 3),
    "bytes": lambda x: zip(b"abc", b"def", strict=True),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_it_ends_where_python_ends_it(name):
    make = ITERATORS[name]

    def left_early(x, limit):
        total, turns = x[0, 0] * 0.0, 0
        for a, b in make(x):
            turns += 1
            total += a * 0.25 + b * 0.5
            if total > limit:
                break
        else:
            turns = -turns
        return total, turns

    assert check(left_early, Call(ROWS, 2.0), Call(ROWS, 0.5), Call(ROWS, 1e9))


def groups(x):
    for key, group in itertools.groupby([1, 1, 2, 2]):
        if x[key] > 0:
            break
        print(key, list(group))


def go_on_after_an_early_end(x):
    pairs = itertools.combinations([0, 1, 2], 2)
    for i, j in pairs:
        if x[i] > x[j]:
            break
    return list(pairs)


@pytest.mark.parametrize("f", [groups, go_on_after_an_early_end])
def test_what_only_a_run_knows_the_place_of_is_refused(f):
    with pytest.raises(Refused):
        check(f, Call(ROWS[0]))
