"""Long lists, dicts and texts from outside are data: one trace serves all lengths."""

import enum
import math
from collections import Counter, namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runtime as rt
from autograph.errors import StagingError
from tests.differential import ENGINES, Call, check
from tests.programs import Programs

PROGRAMS = Programs()
FLOATS = [math.sin(i) for i in range(50)]
MIXED = [1, 2.5, None, "ab", True, (1, 2.0)] * 8
POINTS = [(float(i * 7 % 5), -float(i * 3 % 7)) for i in range(60)]
Point = namedtuple("Point", "x y")


# -- the same list at several places, and changes of it -------------------------------------------------


# -- kinds ----------------------------------------------------------------------------------------------


@PROGRAMS.of(MIXED, MIXED[:3], [*MIXED, "q"])
def items_of_several_kinds(xs):
    out = []
    for x in xs:
        if x is None:
            out.append("none")
        elif isinstance(x, str):
            out.append(x * 2)
        elif isinstance(x, tuple):
            out.append(x[0] + x[1])
        else:
            out.append(x + 1)
    return out


@PROGRAMS.of([Point(i, 2.0 * i) for i in range(40)], [Point(1, 2.0)])
def named_tuples(points):
    return sum(p.x for p in points), points[0]._replace(x=3), points[-1]


@PROGRAMS.of([{"a": i, "b": str(i)} for i in range(40)], [{"a": 1, "b": "q"}])
def records(rows):
    rows[0]["c"] = 1
    return sum(row["a"] for row in rows), [row["b"] for row in rows if row["a"] > 30], rows[0]


# -- objects --------------------------------------------------------------------------------------------


# -- what people do with lists --------------------------------------------------------------------------


@PROGRAMS.of(POINTS, POINTS[:4])
def hull(points):
    points = sorted(points)

    def half(points):
        out = []
        for p in points:
            while len(out) >= 2 and _turn(out[-2], out[-1], p) <= 0:
                out.pop()
            out.append(p)
        return out

    lower, upper = half(points), half(points[::-1])
    return lower[:-1] + upper[:-1]


def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@PROGRAMS.of("the quick brown fox " * 20, "lazy dog " * 30, "short")
def texts(text):
    words = {}
    for word in text.split():
        words[word] = words.get(word, 0) + 1
    return len(text), text.count("o"), text[:3].upper(), words


# -- where the items are needed one by one --------------------------------------------------------------


@PROGRAMS.of(
    ([np.arange(3.0) + i for i in range(40)],),
    ([np.arange(2.0 + i % 2) for i in range(40)],),
    ([np.arange(3.0)] * 2,),
)
def arrays(xs):
    s = 0.0
    for x in xs:
        s += x.sum()
    xs[0][1] = 50.0
    return s, xs[0], np.concatenate(xs).shape


class Layer:
    def __init__(self, rows, columns):
        self.weight = np.full((rows, columns), 0.1)

    def __call__(self, x):
        return np.tanh(x @ self.weight)


@PROGRAMS.of(([Layer(2 + i % 2, 2 + (i + 1) % 2) for i in range(34)], np.ones(2)))
def layers_of_several_shapes(layers, x):
    for layer in layers:
        x = layer(x)
    return x


State = enum.Enum("State", [f"S{i}" for i in range(20)])


class Machine:
    table = {(state, signal): state for state in [*State][:9] for signal in (True, False, 0.5, 2)}
    rows = [tuple(range(i)) for i in range(40)]

    def __init__(self):
        self.state = State.S0

    def feed(self, signal):
        self.state = self.table[self.state, signal]
        return len(self.rows[3])


@PROGRAMS.of(([1.0, -2.0, 3.0], 2), ([], 1))
def attributes_of_a_class(xs, i):
    machine = Machine()
    found = [machine.feed(v > 0) for v in np.array(xs)]
    return machine.state, found, Machine.rows[i]


test_program = PROGRAMS.test()


# -- how many traces ------------------------------------------------------------------------------------


def total(xs):
    s = 0
    for v in xs:
        s += v
    return s


@pytest.mark.parametrize("lengths", [(50, 500, 0, 5, 33), (3, 4, 5, 6, 0, 60)])
def test_one_trace_serves_all_lengths(lengths):
    f = rt.function(total)
    for n in lengths:
        assert f([0.5] * n) == 0.5 * n
    assert f.trace_count == (1 if lengths[0] > 32 else 2)  # a short list is known item by item at first
    assert f([1] * 40) == 40
    assert f([1] * 4) == 4
    assert f.trace_count == (2 if lengths[0] > 32 else 3)


def test_nothing_is_unrolled():
    f = rt.function(total)
    f([0.5] * 10_000)
    assert len([*f.concrete_functions[0].graph.operations()]) < 20
    assert "guard: xs is a list[float]" in str(f.explain())


def test_each_length_has_a_trace_where_the_items_are_needed():
    f = rt.function(lambda xs: np.transpose(np.ones((1,) * len(xs)), xs).ndim)
    for n in (3, 4, 5, 4):
        assert f([*range(n)]) == n
    assert f.trace_count == 3


def test_what_is_refused():
    items = [2**70] * 2000
    with pytest.raises(StagingError, match="too long to trace item by item"):
        rt.function(lambda: total(items))()


def test_gradients_of_long_lists():
    def loss(xs):
        s = 0.0
        for x in xs:
            s += np.sum(x * x)
        return s

    assert rt.grad(loss)([*FLOATS]) == [2 * v for v in FLOATS]
    for arrays in ([np.arange(3.0)] * 40, [np.arange(2.0 + i % 2) for i in range(40)]):
        found = rt.grad(loss)(arrays)
        assert all(np.array_equal(g, 2 * x) for g, x in zip(found, arrays, strict=True))
    table = {f"w{i}": float(i) for i in range(40)}
    assert rt.grad(lambda t: sum(v * v for v in t.values()))(table) == {k: 2 * v for k, v in table.items()}


ITEM = st.integers() | st.floats() | st.booleans() | st.none() | st.text("ab", max_size=2)
ITEMS_OF_LISTS = (
    ITEM | st.tuples(st.integers(0, 3), st.floats(-1, 1)) | st.lists(st.integers(0, 9), max_size=2)
)


def _kinds(xs, n):
    found = Counter()
    for x in xs:
        if isinstance(x, list):
            x.append(n)
        found[type(x).__name__] += 1
    xs.append(n)
    return found, xs[0], xs[-2:], len(xs)


@settings(max_examples=6)
@given(
    st.lists(
        st.tuples(st.lists(ITEMS_OF_LISTS, min_size=1, max_size=6), st.integers(1, 20)),
        min_size=2,
        max_size=2,
    )
)
def test_lists_of_any_kinds_and_lengths(lists):
    calls = [Call(items * times, 1) for items, times in lists]
    check(_kinds, *calls, engines=[ENGINES[lists[0][1] % 2]], may_refuse=True)
