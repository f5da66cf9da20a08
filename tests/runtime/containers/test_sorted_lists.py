"""`bisect` by a key, and `heapq.merge`, of lists that depend on data."""

import bisect
import heapq

import numpy as np

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


test_sorted_lists = PROGRAMS.test()
