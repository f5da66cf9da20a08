"""`sorted` of numbers, of tuples that begin with them, and by such keys: a stable sort, whatever they are."""

import sys

import numpy as np

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
NAN = float("nan")
FLOATS = [2.5, -1.0, 0.0, 1e300, -0.0, 2.5, float("inf"), -1.0] * 6
INTS = [3, -(2**63), 2**63 - 1, 3, 0, -1, 2**40] * 6


@PROGRAMS.of(
    (FLOATS, False), (FLOATS, True), ([NAN, *FLOATS, NAN, 1.0], False), (INTS, True), ([1.5] * 40, True)
)
def places_by_number(xs, falls):
    places = [(k, "place") for k in range(len(xs))]
    return sorted(places, key=lambda place: xs[place[0]]), sorted(
        xs, key=lambda x: -x if x > 2 else x, reverse=falls
    )


DISTINCT = [((k * 37) % 101) / 7.0 - 3.0 for k in range(101)]


@PROGRAMS.of((FLOATS, False), ([NAN, *FLOATS, 1.0], True), (INTS, True), (INTS[:5], False), (DISTINCT, True))
def themselves(xs, falls):
    return sorted(xs), sorted(xs, reverse=falls), sorted([x for x in xs if x > 1], reverse=falls)


@PROGRAMS.of((FLOATS, False), ([NAN, *FLOATS, 1.0], True), (INTS, True), (INTS[:5], False), (DISTINCT, True))
def in_place(xs, falls):
    ys, pairs = [x for x in xs if x > -1], [(x, place) for place, x in enumerate(xs)]
    same = pairs
    ys.sort(reverse=falls)
    pairs.sort()
    first = same[0]
    xs.sort(reverse=falls)
    return ys, same, first, xs


@PROGRAMS.of((FLOATS, 1), ([NAN, *DISTINCT], 2), (INTS, 3), (DISTINCT, 4), (DISTINCT[:20], 5))
def tuples_that_begin_with_numbers(xs, k):
    pairs = [(x, -place, "text") for place, x in enumerate(xs)]
    rows = sorted(pairs, reverse=k > 3)
    return sorted(pairs), rows, [row[1] for row in rows], pairs


@PROGRAMS.of(([1.0 * k for k in range(80)],), ([1.0 * k for k in range(60)] + [3],))
def an_int_among_floats(xs):
    return sorted(xs, reverse=True)


@PROGRAMS.of(([*range(40)],), ([*range(50)],), ([2**70, *range(60)],), ([2**70, 1],))
def an_int_beyond_64_bits(xs):
    return sorted(xs)


@PROGRAMS.of((INTS,), (FLOATS,))
def by_truth_and_length(xs):
    texts = [str(x) for x in xs]
    return sorted(texts, key=lambda t: len(t) > 3), sorted(texts, key=len, reverse=True)


@PROGRAMS.of((np.array([3, 1, 2, 1] * 10, np.uint8),), (np.arange(40.0)[::-1].astype(np.float32),))
def by_numpy_scalars(x):
    return sorted(range(len(x)), key=lambda k: x[k]), sorted(range(len(x)), key=lambda k: x[k], reverse=True)


@PROGRAMS.of((FLOATS, 0), (FLOATS, 3))
def what_a_key_raises(xs, k):
    return sorted(xs, key=lambda x: 1 // (k - int(x > 1) * 3))


test_program = PROGRAMS.test()


def test_reference_counts():
    names = [f"name {k}" for k in range(40)]

    pairs = [(x, str(x)) for x in [*DISTINCT, 7.5, 7.5]]

    @rt.function(engine="native")
    def in_order(names, pairs):
        again = pairs[:70]
        again.sort()
        return sorted(names, key=len), sorted(names, key=len, reverse=True), sorted(pairs), again

    in_order(names, pairs)
    before = [sys.getrefcount(one) for one in (*names, *pairs)]
    for _ in range(5):
        found = in_order(names, pairs)
    assert all(a is b for a, b in zip(found[2], sorted(pairs), strict=True))
    del found
    assert [sys.getrefcount(one) for one in (*names, *pairs)] == before
