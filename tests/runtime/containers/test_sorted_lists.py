"""`bisect` of lists and tuples; what is refused of it, and `heapq.nlargest` by a key."""

import bisect
import heapq

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(items), 4) for items in ([3, 1, 4, 1, 5, 9], [4], [])]


@PROGRAMS.of(*CALLS)
def the_first_ones_by_a_key(x, v):
    seen = []

    def key(a):
        seen.append(a)
        return -a

    return heapq.nlargest(2, [1, 2, 3], key=key), heapq.nsmallest(0, [v, 1], key=key), seen


test_sorted_lists = PROGRAMS.test()


def test_a_place_in_an_array_is_for_numpy():
    with pytest.raises(StagingError, match="`bisect_right` gets an array") as caught:
        rt.function(lambda x: bisect.bisect(x, 2.0))(np.array([3.0, 1.0]))
    assert caught.value.hint == "use np.searchsorted"


@pytest.mark.parametrize(
    "call",
    [
        lambda x: bisect.bisect([1, 2, 3], x[0], key=lambda v: -v),
        lambda x: bisect.insort([1, 2, 3], x[0], key=lambda v: -v),
        lambda x: list(heapq.merge([x[0], 3.0], [1.0, 2.0])),
    ],
)
def test_what_is_refused(call):
    with pytest.raises(StagingError, match="a graph would keep what it gives while tracing"):
        rt.function(call)(np.array([3.0, 1.0]))
