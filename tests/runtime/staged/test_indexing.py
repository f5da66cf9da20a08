"""Indexing: random index expressions on staged arrays and on NumPy's own, read and written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.staging import outcome, run

SHAPES = st.lists(st.integers(0, 4), min_size=0, max_size=3).map(tuple)
BOUND = st.none() | st.integers(-6, 6)
STEP = st.none() | st.integers(-3, 3).filter(bool)
INTEGER = st.integers(-4, 4)
SLICE = st.builds(slice, BOUND, BOUND, STEP)
STATIC = INTEGER | SLICE | st.none() | st.just(Ellipsis) | st.lists(st.integers(-3, 3), max_size=3)


@st.composite
def dynamic_item(draw):
    """An item that becomes staged: an int, a NumPy integer, an array of integers or a mask."""
    kind = draw(st.sampled_from(["int", "scalar", "0d", "array", "mask"]))
    if kind == "int":
        return draw(INTEGER)
    if kind == "scalar":
        return np.int32(draw(INTEGER))
    if kind == "0d":
        return np.array(draw(INTEGER))
    shape = draw(st.sampled_from([(0,), (1,), (3,), (2, 1)]))
    values = draw(st.lists(st.integers(-3, 3), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    if kind == "array":
        return np.array(values, dtype=np.int64).reshape(shape)
    return np.array(draw(st.lists(st.booleans(), min_size=3, max_size=3)))


@st.composite
def cases(draw):
    """An array, static items, and dynamic items with their places among them."""
    shape = draw(SHAPES)
    x = np.arange(float(np.prod(shape, dtype=int))).reshape(shape)
    items = draw(
        st.lists(STATIC.map(lambda i: (False, i)) | dynamic_item().map(lambda i: (True, i)), max_size=4)
    )
    return x, items


def index_of(items, values):
    values = iter(values)
    key = tuple([next(values) if dynamic else item for dynamic, item in items])
    return key[0] if len(key) == 1 else key


def same(a, b):
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


@pytest.mark.parametrize("unknown_lengths", [False, True])
@given(case=cases())
def test_reading(unknown_lengths, case):
    x, items = case
    dynamic = [item for is_dynamic, item in items if is_dynamic]
    read = lambda x, *values: x[index_of(items, values)]
    expected = outcome(read, x, *dynamic)
    got = outcome(lambda *args: run(read, *args, unknown_lengths=unknown_lengths), x, *dynamic)
    if isinstance(expected, tuple):
        assert isinstance(got, tuple) and got[0] is expected[0], (expected, got)
    else:
        assert same(expected, got), (expected, got)
        assert np.shares_memory(x, expected) == np.shares_memory(x, got)


@pytest.mark.parametrize("unknown_lengths", [False, True])
@given(
    case=cases(),
    value=st.sampled_from([7, 2.5, np.float32(3), np.arange(3.0), np.ones((2, 1)), np.ones((0,))]),
)
def test_writing(unknown_lengths, case, value):
    x, items = case
    dynamic = [item for is_dynamic, item in items if is_dynamic]

    def write(x, value, *values):
        x[index_of(items, values)] = value

    mine, theirs = x.copy(), x.copy()
    expected = outcome(write, theirs, value, *dynamic)
    got = outcome(lambda *args: run(write, *args, unknown_lengths=unknown_lengths), mine, value, *dynamic)
    if isinstance(expected, tuple):
        assert isinstance(got, tuple) and got[0] is expected[0], (expected, got)
    assert np.array_equal(mine, theirs)
