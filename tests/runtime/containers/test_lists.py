"""Lists of which only a run knows the length: slices, comparisons, loops, sorting, names."""

import bisect
import heapq

import numpy as np
import pytest

import runtime
import runtime as rt
from autograph.errors import StagingError
from tests.differential import ENGINES
from tests.programs import Programs
from tests.runtime.containers.values import LONG, X, Y

PROGRAMS = Programs()


@PROGRAMS.of((5,), (2,), (0,))
def del_slices(n):
    xs = list(range(10))
    for i in range(n):
        del xs[0]
    del xs[1:3]
    xs[1:2] = [7, 8, 9]
    return xs


@PROGRAMS.of((5,), (0,))
def array_index_with_list(n):
    x = np.arange(10.0)
    idx = []
    for i in range(n):
        idx.append(i)
    return x[idx], x[np.array(idx, dtype=int)]


@PROGRAMS.of((7,), (1,))
def heap_known(n):
    h = [5, 3, 9, 1]
    heapq.heapify(h)
    a = heapq.heappushpop(h, n)
    heapq.heappush(h, n * 2)
    return h, a


@PROGRAMS.of((X,), (Y,))
def lists_of_scalars(x):
    a = [v for v in x if v > 0]
    b = [v for v in x if v < 0]
    return a < b, a <= b, a > b, a >= b, a == b, a != b, a < [1.0], [2] > a, a == [3.0, 4.0]


@PROGRAMS.of((40,), (1,), (3,))
def unpack_star(n):
    xs = []
    for i in range(n):
        xs.append(i * n)
    a, *b = xs
    *c, d = xs
    e, *f, g = xs
    return a, b, c, d, e, f, g


@PROGRAMS.of((LONG,), (X,), (-X,))
def unpack_mask(x):
    a, *b = x[x > 0]
    return a, b


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
    with pytest.raises(StagingError, match="would be computed once, while tracing"):
        rt.function(call)(np.array([3.0, 1.0]))


def written_in_many_branches(x):
    rows = [[0.0, 0.0], [1.0, 1.0]]
    if x[0] > 0:
        rows[0] = [x[0], 0.0]
        rows[0][1] += 1.0
    if x[1] > 0:
        rows[1] = [x[1], 0.0]
        rows[1][1] += 2.0
    if x[2] > 0:
        rows[0] = [x[2], 0.0]
        rows[0][1] += 3.0
    return rows


def written_before_each_raise(x):
    rows = [[0.0, 0.0], [1.0, 1.0]]
    try:
        rows[0] = [x[0], 0.0]
        if x[0] > 1:
            raise ValueError(0)
        rows[1] = [x[1], 0.0]
        if x[1] > 1:
            raise ValueError(1)
        rows[0] = [x[2], 5.0]
        if x[2] > 1:
            raise ValueError(2)
    except ValueError:
        rows[0][0] += 10.0
    return rows


@pytest.mark.parametrize("f", [written_in_many_branches, written_before_each_raise])
def test_each_branch_changes_the_lists(f):
    staged = rt.function(engine="numpy")(f)
    for x in ([1.0, 1.0, 1.0], [-1.0, 2.0, -1.0], [0.5, 0.5, 2.0], [2.0, -1.0, -1.0], [-1.0, -1.0, -1.0]):
        assert staged(np.array(x)) == f(np.array(x))
    assert staged.trace_count == 1


@PROGRAMS.of((5,), (0,))
def swap_lists(n):
    a, b = [1], [2]
    for i in range(n):
        a, b = b, a
        a.append(i)
    return a, b


class Log:
    def __init__(self):
        self.children = []


TREE = Log()


@PROGRAMS.of((5,), (0,), (2,))
def outside_dataclass(n):
    for i in range(n):
        TREE.children.append(i)
    return len(TREE.children), sum(TREE.children)


NUMBERS = ((np.array([3]),), (np.array([0]),), (np.array([5]),))


def extend(items, values):
    items += values


def merge(a, b):
    a |= b


def repeat(items, times):
    items *= times


@PROGRAMS.of(*NUMBERS)
def parameters_of_functions(x):
    n = int(x[0])
    items, table, seen, twice = [1], {1: 1}, {1}, [0]
    if n > 2:
        extend(items, [5])
        merge(table, {5: 4})
        merge(seen, {5})
        repeat(twice, 2)
    for i in range(n):
        extend(items, [i])
        merge(seen, {i})
    return items, table, seen, twice


@PROGRAMS.of((5, [(1, 2.0), (3, 4.5)]), (2, [(1, True), (2, 3.0)]))
def rows_from_outside(n, rows):
    total = 0
    for _ in range(n):
        if rows and rows[-1][0] < n:
            a, b = rows.pop()
            total += a * b
    return total, rows


@pytest.mark.parametrize("engine", ENGINES)
def test_an_int_in_a_row_that_is_beyond_64_bits(engine):
    function = runtime.function(rows_from_outside, engine=engine)
    assert function(2, [(1, 2.0)]) == (2.0, [])
    with pytest.raises(OverflowError, match="64 bits"):
        function(2, [(-(2**70), 1.0)])


test_program = PROGRAMS.test()
