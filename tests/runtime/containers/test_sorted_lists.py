"""`bisect` by a key, and `heapq.merge`, of lists that depend on data."""

import bisect
import heapq

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(items), 4) for items in ([3, 1, 4, 1, 5, 9], [4], [])]
case = PROGRAMS.of(*CALLS)


def first(pair):
    return pair[0]


@case
def places_by_a_key(x, v):
    pairs = sorted((int(a), i) for i, a in enumerate(x))
    return bisect.bisect_left(pairs, v, key=first), bisect.bisect(pairs, v, lo=0, key=lambda p: p[0])


@case
def inserted_by_a_key(x, v):
    pairs = [(int(a), "old") for a in sorted(x)]
    bisect.insort(pairs, (v, "last"), key=first)
    bisect.insort_left(pairs, (v, "first"), key=first)
    return pairs


@case
def merged(x, v):
    kept = sorted(a for a in x if a > 1)
    return list(heapq.merge(kept, [v, v + 1])), [a for a in heapq.merge(sorted(x[:3]), sorted(x[3:]), kept)]


@case
def merged_backwards_by_a_key(x, v):
    kept = sorted([a for a in x if a > 1], reverse=True)
    return list(heapq.merge(kept, [v, 1], key=lambda a: a, reverse=True))


@case
def the_first_ones_by_a_key(x, v):
    seen = []

    def key(a):
        seen.append(a)
        return -a

    return heapq.nlargest(2, [1, 2, 3], key=key), heapq.nsmallest(0, [v, 1], key=key), seen


test_sorted_lists = PROGRAMS.test()


def test_a_key_of_a_merge_that_acts_is_refused():
    seen = []

    def key(a):
        seen.append(a)
        return a

    @rt.function
    def f(v):
        return list(heapq.merge([v, 3], [1, 2], key=key)), len(seen)

    with pytest.raises(StagingError, match="the key of a `merge` changes something"):
        f(1)
    assert not seen
