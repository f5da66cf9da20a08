"""Reductions of some axes, means, and the place of an extreme."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from runtime.engines import native
from tests.long import some
from tests.runtime.engines.native.graphs import Maker, check_compiled

AXES = {2: [0, 1, -1, (0, 1)], 3: [0, 1, 2, (0, 1), (1, 2), (0, 2)]}
NAMES = ["sum", "prod", "max", "min", "any", "all", "mean"]


def array(shape: tuple[int, ...], dtype: str) -> Any:
    return (np.random.default_rng(5).normal(size=shape) * 3 + 1).astype(dtype)


@pytest.mark.parametrize("dtype", some(["float64", "float32", "int64", "uint8", "bool"]))
@pytest.mark.parametrize(("rank", "keepdims"), [(2, True), (3, False)])
def test_axes(dtype: str, rank: int, keepdims: bool) -> None:
    from runtime.types import ArrayType

    m = Maker(ArrayType(np.dtype(dtype), (None,) * rank))
    (x,) = m.params
    results = [
        m(name, x, axis=axis, keepdims=keepdims) for name, axis in itertools.product(NAMES, AXES[rank])
    ]
    graph = m.returns(*results)
    executable = native.compile(graph)
    whole = array((4, 600, 3)[:rank] if rank == 3 else (5, 700), dtype)
    for argument in (whole, whole[::-1], whole[:, ::2], whole[:1], whole[:, :1]):
        check_compiled(graph, executable, argument, ulps=64)
    if rank == 2:
        check_compiled(graph, executable, whole.T, ulps=64)


@pytest.mark.parametrize("dtype", ["c64", "c128"])
@pytest.mark.parametrize("axis", [None, -1, (0, 1)])
def test_infinities_and_nans_of_complex_means(dtype: str, axis: Any) -> None:
    m = Maker(f"{dtype}[None,None]")
    graph = m.returns(m("mean", m.params[0], axis=axis), m("sum", m.params[0], axis=axis))
    executable = native.compile(graph)
    assert executable.fallbacks == []
    for one, other in itertools.product([0.0, np.inf, -np.inf, np.nan], repeat=2):
        x = np.array([[1, complex(one, other), 2j], [-1, complex(one, 0), 3]], m.params[0].type.dtype)  # type: ignore[union-attr]
        check_compiled(graph, executable, x, ulps=4)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_axes_of_nothing(shape: tuple[int, int]) -> None:
    m = Maker("f64[None,None]")
    names = ["sum", "prod", "any", "all"]
    graph = m.returns(*[m(name, m.params[0], axis=axis) for name in names for axis in (0, 1)])
    check_compiled(graph, native.compile(graph), np.zeros(shape))
    m = Maker("f64[None,None]")
    graph = m.returns(m("max", m.params[0], axis=0))
    check_compiled(graph, native.compile(graph), np.zeros(shape))


@pytest.mark.parametrize("dtype", ["f64", "f32", "i64", "u8", "bool"])
def test_place_of_an_extreme(dtype: str) -> None:
    m = Maker(f"{dtype}[None]")
    graph = m.returns(m("argmax", m.params[0]), m("argmin", m.params[0]), m("argmin", m.params[0], axis=0))
    executable = native.compile(graph)
    assert executable.fallbacks == []
    numpy_dtype = m.params[0].type.dtype  # type: ignore[union-attr]
    for values in ([3, 1, 2, 1, 3], [0], [0, 0], list(range(100, 0, -1)), []):
        check_compiled(graph, executable, np.array(values, numpy_dtype))
    if dtype.startswith("f"):
        for floats in ([1, np.nan, 5, np.nan], [-np.inf, -np.inf], [np.inf, np.inf], [np.nan]):
            check_compiled(graph, executable, np.array(floats, numpy_dtype))


def test_a_sum_of_columns_adds_in_order_as_numpy_does() -> None:
    m = Maker("f64[None,None]")
    graph = m.returns(m("sum", m.params[0], axis=0))
    executable = native.compile(graph)
    assert executable.fallbacks == []
    check_compiled(graph, executable, array((1000, 7), "float64"), ulps=0)


def test_distances_share_one_loop() -> None:
    m = Maker("f64[10,64]", "f64[64]")
    centers, point = m.params
    graph = m.returns(m("argmin", m("sum", m("power", m("subtract", centers, point), 2), axis=1)))
    executable = native.compile(graph)
    assert executable.loops.count("for each") == 2 and executable.fallbacks == []
    check_compiled(graph, executable, array((10, 64), "float64"), array((64,), "float64"))
