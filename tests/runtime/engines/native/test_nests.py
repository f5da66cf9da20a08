"""Loops over arrays: strides, broadcasting, lengths that are not known, layouts, fusion."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from runtime.engines import native
from tests.long import some
from tests.runtime.engines.native.graphs import Maker, check, check_compiled

BASE = np.random.default_rng(0).normal(size=(12, 14))
VECTORS = [BASE[0], BASE[0, ::2][:7], BASE[:, 3], BASE[2, ::-1], BASE[0, :1], BASE[0, :0]]
MATRICES = [
    BASE,
    BASE.T,
    BASE[1:-1, 1:-1],
    BASE[::-1],
    BASE[:, ::2],
    np.asfortranarray(BASE),
    BASE[:1],
    BASE[:, :1],
    BASE[:0],
    BASE[:, 3:4].T,
]


def elementwise(*types: str) -> Any:
    m = Maker(*types)
    x, y = m.params
    s = m("add", m("multiply", x, y), 1.0)
    return m.returns(s, m("less", s, m("tanh", x)))


@lru_cache(maxsize=None)
def compiled(*types: str) -> Any:
    graph = elementwise(*types)
    return graph, native.compile(graph)


@pytest.mark.parametrize("x", VECTORS)
@pytest.mark.parametrize("y", VECTORS)
def test_vectors(x: Any, y: Any) -> None:
    check_compiled(*compiled("f64[None]", "f64[None]"), x, y, ulps=4)


@pytest.mark.parametrize("x", range(len(MATRICES)))
@pytest.mark.parametrize("y", range(len(MATRICES)))
def test_matrices(x: int, y: int) -> None:
    check_compiled(*compiled("f64[None,None]", "f64[None,None]"), MATRICES[x], MATRICES[y], ulps=4)


@pytest.mark.parametrize("x", range(len(MATRICES)))
@pytest.mark.parametrize("y", range(len(VECTORS)))
def test_rows(x: int, y: int) -> None:
    check_compiled(*compiled("f64[None,None]", "f64[None]"), MATRICES[x], VECTORS[y], ulps=4)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("shape", "steps"), [((5, 4), (4, 2)), ((9, 3), (3, 2)), ((7, 1), (1, -1)), ((2, 3, 4), (12, 4, 2))]
)
def test_rows_that_follow_each_other_though_their_numbers_do_not(shape: Any, steps: Any, known: bool) -> None:
    """As in windows that overlap. One function of NumPy's takes any steps, but not all rows as one."""
    x = as_strided(BASE.reshape(-1)[10:], shape, [8 * step for step in steps])
    m = Maker(f"f64[{','.join(str(n) if known else 'None' for n in shape)}]")
    check(m.returns(m("tanh", *m.params)), x, ulps=0)


@pytest.mark.parametrize(
    ("a", "b"), [("3,1", "1,4"), ("3,4", "4"), ("3,4", "1"), ("1,4", "3,1"), ("2,1,3", "4,1"), ("0,3", "3")]
)
def test_known_shapes(a: str, b: str) -> None:
    x, y = [np.random.default_rng(1).normal(size=tuple(map(int, s.split(",")))) for s in (a, b)]
    check(elementwise(f"f64[{a}]", f"f64[{b}]"), x, y, ulps=4)


@lru_cache(maxsize=None)
def in_the_shape_of(name: str, *types: str) -> Any:
    m = Maker(*types)
    x, like = m.params
    made = m(name, m("multiply", x, 2.0), like)
    graph = m.returns(m("add", made, 1.0), m("sum", made))
    return graph, native.compile(graph)


@pytest.mark.parametrize(
    ("name", "x", "like"),
    [
        *[("sum_like", x, like) for x, like in [((4,), (4,)), ((4,), (1,)), ((1,), (4,)), ((0,), (0,))]],
        *[("sum_like", (3, 4), like) for like in [(3, 4), (1, 4), (3, 1), (4,)]],
        *[("broadcast_like", x, like) for x, like in [((), (4,)), ((1,), (4,)), ((4,), (3, 4)), ((), (0,))]],
    ],
)
def test_the_shape_of_another(name: str, x: Any, like: Any) -> None:
    """Lengths that only a run knows: the loop is for equal ones, the kernel for the others."""
    draw = np.random.default_rng(2)
    types = [f"f64[{','.join(['None'] * len(s))}]" if s else "f64" for s in (x, like)]
    graph, executable = in_the_shape_of(name, *types)
    check_compiled(graph, executable, draw.normal(size=x or None), draw.normal(size=like), ulps=4)
    assert bool(executable.fallbacks) == (len(x) > len(like))


REDUCTIONS = ["sum", "prod", "any", "all", "max", "min"]
SHAPES = {1: [(1,), (5,), (1000,)], 2: [(3, 700), (4, 1)], 3: [(2, 3, 4)]}
EMPTY: dict[int, list[tuple[int, ...]]] = {1: [(0,)], 2: [(0, 3)]}


@pytest.mark.parametrize("dtype", some(["f64", "f32", "i64", "i8", "u8", "bool"]))
@pytest.mark.parametrize(
    ("names", "shapes"),
    [*[(REDUCTIONS, shapes) for shapes in SHAPES.values()], *[(REDUCTIONS[:4], s) for s in EMPTY.values()]],
)
def test_reductions(dtype: str, names: list[str], shapes: list[tuple[int, ...]]) -> None:
    rank = len(shapes[0])
    m = Maker(f"{dtype}[{','.join(['None'] * rank)}]")
    graph = m.returns(*[m(name, m.params[0]) for name in names])
    executable = native.compile(graph)
    for shape in shapes:
        x = (np.random.default_rng(2).normal(size=shape) * 3 + 1).astype(m.params[0].type.dtype)  # type: ignore[union-attr]
        for argument in (x, x[::-1], x.T if rank > 1 else x[::2]):
            check_compiled(graph, executable, argument, ulps=32)


def test_a_maximum_of_nothing_raises_as_numpy_does() -> None:
    m = Maker("f64[None]")
    kind, words = check(m.returns(m("max", m.params[0])), np.zeros(0))
    assert (kind, words) == (
        "ValueError",
        "zero-size array to reduction operation maximum which has no identity",
    )


@pytest.mark.parametrize(
    "values",
    [
        [np.nan, 1.0],
        [1.0, np.nan],
        [np.inf, 1.0],
        [np.inf, -np.inf],
        [-0.0],
        [-0.0, -0.0],
        [],
        [1e308, 1e308],
    ],
)
def test_special_floats(values: list[float]) -> None:
    m = Maker("f64[None]")
    names = ["sum", "prod"] + (["max", "min"] if values else [])
    check(m.returns(*[m(name, m.params[0]) for name in names]), np.array(values))


def test_a_long_sum_is_as_exact_as_numpy() -> None:
    m = Maker("f64[None]")
    x = np.random.default_rng(3).random(1_000_003)
    (found,) = native.compile(m.returns(m("sum", m.params[0])))([x])
    assert abs(found - math.fsum(x)) <= 2 * np.spacing(math.fsum(x))


def test_lengths_that_differ_raise_as_numpy_does() -> None:
    graph = elementwise("f64[None]", "f64[None]")
    kind, words = check(graph, np.zeros(3), np.zeros(4))
    assert (kind, words) == ("ValueError", "operands could not be broadcast together with shapes (3,) (4,) ")


def test_a_python_int_that_does_not_fit_raises_as_numpy_does() -> None:
    m = Maker("u8[None]", "int")
    graph = m.returns(m("add", *m.params))
    check(graph, np.arange(4, dtype="u1"), 250)
    assert check(graph, np.arange(4, dtype="u1"), 300)[0] == "OverflowError"


def test_fusion_is_visible() -> None:
    m = Maker("f64[None]", "f64[None]")
    x, y = m.params
    s = m("sum", m("multiply", m("subtract", x, y), m("subtract", x, y)))
    assert native.compile(m.returns(s)).loops.count("for each") == 1
    m = Maker("f64[None]")
    s = m("sum", m.params[0])
    assert native.compile(m.returns(m("true_divide", m.params[0], s))).loops.count("for each") == 2


def test_a_write_between_keeps_what_was_read_before() -> None:
    m = Maker("f64[3]")
    (x,) = m.params
    y = m("add", x, 1.0)
    m.append("setitem", (x, m.constant(100.0)), (), {"index": (0,)})
    z = m("multiply", y, 2.0)
    check(m.returns(z, m("add", x, 0.0)), np.zeros(3))


def test_empty_results_in_the_graph() -> None:
    m = Maker("f64[0]")
    check(m.returns(m("add", m.params[0], 1.0)), np.zeros(0))
