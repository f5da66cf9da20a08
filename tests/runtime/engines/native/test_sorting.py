"""`sorted` by keys that are numbers: a stable sort, whatever the numbers are."""

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

    @rt.function(engine="native")
    def by_length(names):
        return sorted(names, key=len), sorted(names, key=len, reverse=True)

    by_length(names)
    before = [sys.getrefcount(name) for name in names]
    for _ in range(5):
        by_length(names)
    assert [sys.getrefcount(name) for name in names] == before
