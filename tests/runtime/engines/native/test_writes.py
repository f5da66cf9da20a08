"""Writes into arrays as nests: in place, to slices, with overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runtime.engines import native
from runtime.ops import Dynamic
from runtime.types import DTYPE_NAMES
from tests.runtime.engines.native.graphs import Maker, check, check_compiled

X = np.random.default_rng(0).normal(size=(6, 8))
VIEWS = [X, X[::-1], X[:, ::2], np.asfortranarray(X), X[:1], X[:0]]


def write(m: Maker, name: str, *inputs: Any, **attributes: Any) -> None:
    values = [v if hasattr(v, "type") else m.constant(v) for v in inputs]
    m.append(name, tuple(values), (), attributes)


@pytest.mark.parametrize("ufunc", ["add", "subtract", "multiply", "maximum", "true_divide", "power"])
@pytest.mark.parametrize("other", ["f64[None,None]", "f64[None]", "f64", "float", "int", "f32[None,None]"])
def test_in_place(ufunc: str, other: str) -> None:
    m = Maker("f64[None,None]", other)
    write(m, "inplace", *m.params, ufunc=ufunc)
    graph = m.returns(m.params[0])
    executable = native.compile(graph)
    assert bool(executable.fallbacks) == (ufunc == "power")
    for x in VIEWS:
        y: Any = {"f64": np.float64(1.5), "float": 2.5, "int": 3, "f64[None]": X[0, : x.shape[1]].copy()}.get(
            other
        )
        y = np.abs(x).astype("f4" if "f32" in other else "f8") if y is None else y
        check_compiled(graph, executable, x.copy(order="K"), y, ulps=4)


@pytest.mark.parametrize("dtype", ["i64", "i8", "u8", "f32"])
@pytest.mark.parametrize("ufunc", ["add", "floor_divide", "bitwise_and"])
def test_in_place_of_small_types(dtype: str, ufunc: str) -> None:
    if dtype == "f32" and ufunc == "bitwise_and":
        return
    m = Maker(f"{dtype}[None]", "int")
    write(m, "inplace", *m.params, ufunc=ufunc)
    graph = m.returns(m.params[0])
    executable = native.compile(graph)
    for n in (0, 1, 7, 200, 300):
        check_compiled(graph, executable, np.arange(9).astype(m.params[0].type.dtype), n)  # type: ignore[union-attr]


INDICES: list[Any] = [
    (slice(None),),
    (slice(1, -1),),
    (slice(None), slice(None, None, 2)),
    (2,),
    (Ellipsis, 3),
    (None, 1),
]


@pytest.mark.parametrize("index", INDICES, ids=map(str, INDICES))
@pytest.mark.parametrize("value", ["f64", "int", "float", "f64[None]", "f64[None,None]", "i64[None]"])
def test_items(index: Any, value: str) -> None:
    if len(np.zeros((6, 8))[index].shape) < value.count("None"):
        return
    m = Maker("f64[None,None]", value)
    write(m, "setitem", *m.params, index=index)
    graph = m.returns(m.params[0])
    executable = native.compile(graph)
    assert executable.fallbacks == []
    target = X.copy()[index]
    shape = target.shape if value.count("None") == 2 else target.shape[-1:]
    y: Any = np.float64(2) if value == "f64" else {"int": 7, "float": 0.5}.get(value)
    y = np.arange(float(np.prod(shape))).reshape(shape).astype(DTYPE_NAMES[value[:3]]) if y is None else y
    for x in (X.copy(), X[::-1].copy(), np.asfortranarray(X)):
        check_compiled(graph, executable, x, y)
    if "None" in value:  # shapes that do not fit raise as in NumPy; a length of 1 is broadcast
        check_compiled(graph, executable, X.copy(), np.zeros((3,) * value.count("None"), y.dtype))
        check_compiled(graph, executable, X.copy(), np.ones((1,) * value.count("None"), y.dtype))


def test_dynamic_items() -> None:
    m = Maker("f64[None,4]", "f64[4]", "int")
    x, y, i = m.params
    write(m, "setitem", x, m("add", y, 1.0), i, index=(Dynamic(0),))
    graph = m.returns(x)
    executable = native.compile(graph)
    assert executable.fallbacks == [] and "-> " not in executable.loops
    for at in (0, 2, -1, -3, 3, -4):
        check_compiled(graph, executable, np.zeros((3, 4)), np.arange(4.0), at)


def test_overlap_is_as_in_numpy() -> None:
    m = Maker("f64[None]")
    (x,) = m.params
    write(
        m,
        "setitem",
        x,
        m("multiply", m("getitem", x, index=(slice(None, -1),)), 2.0),
        index=(slice(1, None),),
    )
    write(m, "setitem", x, m("getitem", x, index=(slice(1, None),)), index=(slice(None, -1),))
    write(
        m,
        "inplace",
        m("getitem", x, index=(slice(1, None),)),
        m("getitem", x, index=(slice(None, -1),)),
        ufunc="add",
    )
    write(m, "inplace", x, m("getitem", x, index=(slice(None, None, -1),)), ufunc="add")
    check(m.returns(x), np.arange(1.0, 9.0))


@pytest.mark.parametrize("shift", [0, 1, 4])
def test_arguments_that_overlap(shift: int) -> None:
    m = Maker("f64[4]", "f64[4]")
    x, y = m.params
    write(m, "setitem", x, m("add", m("add", x, y), 1.0), index=(slice(None),))
    graph = m.returns()
    memory, expected = np.arange(9.0), np.arange(9.0)
    native.compile(graph)([memory[:4], memory[shift : shift + 4]])
    expected[:4] = expected[:4] + expected[shift : shift + 4] + 1.0
    assert memory.tolist() == expected.tolist()


def test_a_value_that_does_not_fit() -> None:
    m = Maker("u8[None]", "int")
    write(m, "setitem", *m.params, index=(slice(None),))
    graph = m.returns(m.params[0])
    check(graph, np.zeros(3, "u1"), 255)
    assert check(graph, np.zeros(3, "u1"), 256)[0] == "OverflowError"


def test_read_only() -> None:
    m = Maker("f64[3]", "f64[3]")
    write(m, "inplace", *m.params, ufunc="add")
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        native.compile(m.returns())([x, np.ones(3)])


def test_exp_before_a_write() -> None:
    m = Maker("f64[None]")
    (x,) = m.params
    e = m("exp", x)
    s = m("add", m("multiply", x, 2.0), e)
    write(m, "inplace", x, s, ufunc="add")
    check(m.returns(x, e, m("sum", x)), np.linspace(-2, 2, 1500), ulps=8)


def test_copyto() -> None:
    m = Maker("f64[None,None]", "f64[None]")
    write(m, "copyto", *m.params)
    check(m.returns(m.params[0]), X.copy(), X[0].copy())
