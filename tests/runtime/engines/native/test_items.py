"""Items and slices: NumPy's bounds, views and conversions."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

from runtime.engines import native
from runtime.ops import Dynamic
from tests import differential
from tests.runtime.engines.native.graphs import Maker, check, check_compiled

D = Dynamic


@pytest.mark.parametrize("shape", ["3", "None"])
@pytest.mark.parametrize("kind", ["int", "i64", "i8", "u8", "u64"])
def test_read(shape: str, kind: str) -> None:
    m = Maker(f"f64[{shape}]", kind)
    graph = m.returns(m("getitem", *m.params, index=(D(0),)))
    for i in (0, 2, 3, -1, -3, -4, 100):
        if kind.startswith("u") and i < 0:
            continue
        index = i if kind == "int" else m.params[1].type.dtype.type(i)  # type: ignore[union-attr]
        check(graph, np.array([1.0, 2.0, 3.0]), index)
        check(graph, np.arange(6.0)[::-2], index)


def test_read_says_what_numpy_says() -> None:
    m = Maker("f64[None,4]", "int")
    graph = m.returns(m("getitem", m.params[0], m.params[1], index=(1, D(0))))
    executable = native.compile(graph)
    with pytest.raises(IndexError, match="^index 4 is out of bounds for axis 1 with size 4$") as caught:
        executable([np.zeros((2, 4)), 4])
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.name) == ("made.py", 1, "made")
    assert check(graph, np.zeros((1, 4)), 0) == (
        "IndexError",
        "index 1 is out of bounds for axis 0 with size 1",
    )


VALUES = {
    "int": [0, 1, -1, 200, 300, 2**40, -(2**63)],
    "float": [0.0, 1.9, -1.9, 300.0, 1e30, float("nan"), float("inf")],
    "bool": [True, False],
    "f64": [np.float64(v) for v in (0.0, 1.9, -1.9)],
    "i64": [np.int64(v) for v in (0, 1, 100)],
    "u8": [np.uint8(7)],
    "b1": [np.True_],
}


@pytest.mark.parametrize("dtype", ["f64", "f32", "i64", "i8", "u8", "u64", "bool"])
@pytest.mark.parametrize("kind", VALUES)
def test_write(dtype: str, kind: str) -> None:
    m = Maker(f"{dtype}[None]", kind, "int")
    x, value, i = m.params
    m.append("setitem", (x, value, i), (), {"index": (D(0),)})
    graph = m.returns(x)
    executable = native.compile(graph)
    for v in VALUES[kind]:
        for at in (0, -1, 5):
            check_compiled(graph, executable, np.ones(3, x.type.dtype), v, at)  # type: ignore[union-attr]


def test_a_read_only_array_refuses() -> None:
    m = Maker("f64[3]")
    m.append("setitem", (m.params[0], m.constant(1.0)), (), {"index": (0,)})
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="^assignment destination is read-only$"):
        native.compile(m.returns())([x])


SLICES: list[Any] = [
    (slice(1, None),), (slice(None, -1),), (slice(None, None, -1),), (slice(4, 1, -2),), (slice(10, 20),),
    (2,), (-1, slice(None)), (slice(None), 1), (Ellipsis, 2), (None, slice(1, 3)),
    (slice(-3, None), slice(None, None, 2)), (slice(3, 1),), (0, None), (Ellipsis,),
]  # fmt: skip


@pytest.mark.parametrize("index", SLICES, ids=map(str, SLICES))
@pytest.mark.parametrize("shape", ["5,4", "None,None"])
def test_slices_are_views(index: Any, shape: str) -> None:
    x = np.arange(20.0).reshape(5, 4)
    m = Maker(f"f64[{shape}]")
    view = m("getitem", m.params[0], index=index)
    graph = m.returns(view, m("add", view, 1.0), m("sum", view))
    executable = native.compile(graph)
    assert executable.fallbacks == []
    for argument in (x, x[::-1], np.asfortranarray(x)):
        check_compiled(graph, executable, argument, ulps=4)
        assert np.shares_memory(executable([argument])[0], argument) or not argument[index].size


@pytest.mark.parametrize("step", [None, 1, 2, -1, -3])
def test_slices_with_dynamic_bounds(step: Any) -> None:
    m = Maker("f64[None]", "int", "int")
    graph = m.returns(m("getitem", *m.params, index=(slice(D(0), D(1), step),)))
    executable = native.compile(graph)
    x = np.arange(6.0)
    for start in range(-8, 9):
        for stop in range(-8, 9):
            assert executable([x, start, stop])[0].tolist() == x[start:stop:step].tolist()


def test_rows_in_a_loop() -> None:
    m = Maker("f64[None,3]")
    (x,) = m.params

    def body(i: Any, total: Any) -> Any:
        row = m("getitem", x, i, index=(D(0),))
        return (m("add", total, row),)

    n = m("dim", x, axis=0)
    graph = m.returns(*m.count(n, body, m("zeros", shape=(3,), dtype=np.dtype(float))))
    check(graph, np.arange(12.0).reshape(4, 3))
    assert [name for name, _ in native.compile(graph).fallbacks] == []


def test_a_view_of_a_read_only_array_is_read_only() -> None:
    m = Maker("f64[3]")
    view = m("getitem", m.params[0], index=(slice(1, None),))
    x = np.zeros(3)
    x.flags.writeable = False
    (found,) = native.compile(m.returns(view))([x])
    assert not found.flags.writeable and found.base is x


def square(x, n):
    return x[:n].reshape(3, 3) * 2


def rows(x, n):
    return x[:n].reshape(-1, 3) * 2, np.ravel(x[:n]) + 1


def rows_of_every_other(x, n):
    y = x[:n:2].reshape(3, -1, 1)
    y[0, 0] = 7.0
    return x, y.sum(axis=0)


def written_rows(x, n):
    y = x[1:n].reshape(-1, 4)
    y[1, 2] = 7.0
    return x


@pytest.mark.parametrize("f", [square, rows, rows_of_every_other, written_rows])
def test_parts_in_other_shapes(f):
    differential.check(f, *[(np.arange(20.0), n) for n in (9, 18, 12, 5, 0)])
