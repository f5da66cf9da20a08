"""itertools, functools.reduce and heapq over lists and ranges of which only a run knows the length."""

import functools
import heapq
import itertools
import math
import operator

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


@PROGRAMS.of(*NUMBERS)
def running_totals(x):
    kept = [i + 1 for i in range(int(x[0]))]
    totals = list(itertools.accumulate(kept)), list(itertools.accumulate(kept, operator.mul))
    return totals, list(itertools.accumulate(kept, lambda p, q: p - q, initial=10))


@PROGRAMS.of(*NUMBERS)
def chains(x):
    n = int(x[0])
    kept = [i for i in range(n)]
    rows = [[i] * i for i in range(n)]
    total = 0
    for value in itertools.chain(range(n), [10, 20], kept):
        total += value
    return total, list(itertools.chain(kept, [9], kept)), list(itertools.chain.from_iterable(rows))


@PROGRAMS.of(*NUMBERS)
def products_and_choices(x):
    n = int(x[0])
    kept = [i * i for i in range(n)]
    total = 0
    for a, b in itertools.product(kept, range(2)):
        total += a * b
    for a, b in itertools.combinations(kept, 2):
        total += a - b
    pairs = list(itertools.permutations(kept, 2)), list(itertools.combinations_with_replacement(kept, 2))
    return total, pairs, list(itertools.product(kept, "ab")), list(itertools.combinations(kept, 3))


@PROGRAMS.of(*NUMBERS)
def parts(x):
    n = int(x[0])
    kept = [i for i in range(n)]
    ends = list(itertools.takewhile(lambda v: v < 2, kept))
    slices = list(itertools.islice(kept, 2)), list(itertools.islice(kept, 1, None, 2))
    more = list(itertools.islice(range(10), n)), list(itertools.islice(itertools.count(n), 3))
    return ends, slices, more, list(itertools.filterfalse(lambda v: v % 2, kept))


@PROGRAMS.of(*NUMBERS)
def neighbours_and_groups(x):
    n = int(x[0])
    kept = [i // 2 for i in range(n)]
    groups = [(key, len(list(group))) for key, group in itertools.groupby(kept)]
    sums = [(key, sum(group)) for key, group in itertools.groupby(kept, key=lambda v: v % 2)]
    return groups, sums, list(itertools.pairwise(kept)), [b - a for a, b in itertools.pairwise(kept)]


@PROGRAMS.of(("aaabccd",), ("",), ("zz",))
def run_lengths(text):
    return "".join(f"{key}{len(list(group))}" for key, group in itertools.groupby(text))


@PROGRAMS.of(*NUMBERS)
def endless_ones(x):
    n = int(x[0])
    out = []
    for i, letter in zip(range(n), itertools.cycle("ab"), strict=False):
        out.append((i, letter))
    for i, (a, letter) in enumerate(zip(range(n), "abc", strict=False), n):
        out.append((i + a, letter))
    endless = list(zip(range(n), itertools.repeat(7), strict=False))
    return out, endless, list(zip(range(n), itertools.count(5), strict=False))


@PROGRAMS.of(*NUMBERS)
def applied(x):
    n = int(x[0])
    pairs = [(i, i + 1) for i in range(n)]
    products = (
        list(itertools.starmap(operator.mul, pairs)),
        list(itertools.starmap(lambda p, q: p - q, pairs)),
    )
    return products


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


@PROGRAMS.of(*NUMBERS)
def reduced(x):
    kept = [i + 1 for i in range(int(x[0]))]
    products = functools.reduce(lambda p, q: p * q, kept, 1), functools.reduce(operator.add, kept, 0)
    return products, functools.reduce(max, kept, 0), math.prod(kept), math.fsum(kept)


@PROGRAMS.of(*NUMBERS)
def reduced_from_nothing(x):
    return functools.reduce(operator.add, [i for i in range(int(x[0]))])


@PROGRAMS.of(*NUMBERS)
def best_ones(x):
    n = int(x[0])
    kept = [(i * 7) % 5 for i in range(n)]
    best = heapq.nlargest(2, kept), heapq.nsmallest(n, kept), heapq.nlargest(2, kept, key=lambda v: v % 3)
    return best, max((abs(v), v) for v in [n, -1]), min(((v % 2, v) for v in kept), default=None)


@PROGRAMS.of(*NUMBERS)
def iterators(x):
    kept = [i for i in range(int(x[0]))]
    pairs = iter(kept)
    total = 0
    for value in iter(kept):
        total += value
    return next(pairs, None), next((v for v in kept if v > 1), -1), total


@PROGRAMS.of(*NUMBERS)
def membership(x):
    n = int(x[0])
    far = n in range(0, 1000, 5), n in range(900, -1, -3), n + 0.5 in range(100), n not in range(70)
    return far, n in range(n + 1), n in range(n)


@PROGRAMS.of((np.array([3, 2, 2, 0]),), (np.array([1]),), (np.array([], int),))
def groups_of_an_array(x):
    runs = [(k, sum(1 for _ in group)) for k, group in itertools.groupby(x)]
    for large, group in itertools.groupby(x, key=lambda v: v > 1):
        runs.append((large, list(group)))
    return runs


test_program = PROGRAMS.test()
