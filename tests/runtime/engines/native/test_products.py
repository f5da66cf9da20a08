"""Small products of vectors and matrices, and concatenated arrays, in machine code."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from runtime.engines import native
from runtime.types import DTYPE_NAMES
from tests.runtime.engines.native.graphs import Maker, check_compiled

SHAPES = [
    ((5,), (5,)),
    ((17,), (17, 64)),
    ((64, 17), (17,)),
    ((3, 4), (4, 5)),
    ((1, 64), (64, 7)),
    ((0,), (0, 3)),
    ((3, 0), (0, 3)),
    ((300,), (300, 300)),  # large: the kernel
    ((3,), (4, 2)),  # wrong: the kernel raises
]


def layouts(x: Any) -> list[Any]:
    return [x, np.asfortranarray(x), x[..., ::-1], np.repeat(x, 2, axis=-1)[..., ::2]]


def whole_numbers(shape: tuple[int, ...], dtype: Any) -> Any:
    """Numbers whose products and sums are exact, in whatever order."""
    return np.random.default_rng(5).integers(-9, 9, size=shape).astype(dtype)


@functools.cache
def product(dtype: str, *ranks: int) -> tuple[Any, Any]:
    """The graph of a product and its machine code."""
    m = Maker(*[f"{dtype}[{','.join(['None'] * rank)}]" for rank in ranks])
    graph = m.returns(m("matmul", *m.params))
    return graph, native.compile(graph)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_products(left: tuple[int, ...], right: tuple[int, ...], dtype: str) -> None:
    graph, executable = product(dtype, len(left), len(right))
    assert executable.fallbacks == []
    a, b = [whole_numbers(shape, DTYPE_NAMES[dtype]) for shape in (left, right)]
    for x in layouts(a):
        for y in layouts(b):
            check_compiled(graph, executable, x, y)


@pytest.mark.parametrize("dtype", ["f64", "i32", "bool"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concatenated_matrices(axis: int, dtype: str) -> None:
    m = Maker(f"{dtype}[None,None]", f"{dtype}[None,None]")
    x, y = m.params
    graph = m.returns(m("concatenate", x, y, x, axis=axis))
    executable = native.compile(graph)
    assert executable.fallbacks == []
    for shapes in [((2, 3), (2, 3)), ((2, 3), (4, 3)), ((2, 3), (2, 1)), ((0, 3), (2, 3))]:
        a, b = [whole_numbers(shape, DTYPE_NAMES[dtype]) for shape in shapes]
        for each in layouts(a):
            check_compiled(graph, executable, each, b)


def test_concatenated_vectors() -> None:
    m = Maker("f64[None]", "f64[2]")
    x, y = m.params
    graph = m.returns(m("concatenate", x, y, axis=0))
    executable = native.compile(graph)
    assert executable.fallbacks == []
    for each in (np.arange(3.0), np.arange(6.0)[::-2], np.zeros(0)):
        check_compiled(graph, executable, each, np.array([7.0, 8.0]))


@pytest.mark.parametrize("dtype", ["f64", "c128"])
def test_a_large_product_is_done_in_squares(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("runtime.engines.native.products"), "AT_ONCE", 14)
    x, y = [whole_numbers(shape, dtype[0] + str(int(dtype[1:]) // 8)) for shape in ((70, 33), (33, 41))]
    m = Maker(f"{dtype}[None,None]", f"{dtype}[None,None]")
    executable = native.compile(m.returns(m("matmul", *m.params)))
    for a in layouts(x):
        for b in layouts(y):
            if a.shape[1] == b.shape[0]:
                assert np.array_equal(executable([a, b])[0], a @ b)
