"""Python numbers in machine code: the same values and the same words of exceptions as the kernels."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.engines import native
from runtime.ops import REGISTRY
from runtime.types import NumberType, parse_type
from tests.runtime.engines.native.graphs import Maker, check_compiled
from tests.spread import spread

INTS = [0, 1, -1, 2, -3, 7, 62, 63, 64, 65, 2**31, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
INF, NAN = float("inf"), float("nan")
FLOATS = [0.0, -0.0, 1.0, -1.5, 2.5, 1e308, -1e308, 5e-324, 2.0**53, 2.0**63, -(2.0**63), INF, -INF, NAN]
PARTS = [0.0, -0.0, 1.5, -2.0, 1e308, 5e-324, INF, NAN]
COMPLEXES = [complex(real, imaginary) for real in PARTS for imaginary in PARTS]
VALUES: dict[str, list[Any]] = {"bool": [False, True], "int": INTS, "float": FLOATS, "complex": COMPLEXES}
BINARY = "add sub mul truediv floordiv mod pow lshift rshift and or xor lt le gt ge eq ne".split()
UNARY = "neg pos abs invert not bool int float real imag conjugate".split()


def compiled(name: str, *kinds: str) -> Any:
    maker = Maker(*kinds)
    try:
        graph = maker.returns(maker(f"py.{name}", *maker.params))
    except TypeError:
        return None, None  # float << int: refused as in Python
    return graph, native.compile(graph)


@pytest.mark.parametrize(("name", "left", "right"), spread([*BINARY], [*VALUES], [*VALUES]))
def test_two_numbers(name: str, left: str, right: str) -> None:
    graph, executable = compiled(name, left, right)
    if graph is not None:
        for a in VALUES[left]:
            for b in VALUES[right]:
                check_compiled(graph, executable, a, b)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("kind", ["int", "float"])
def test_a_number_and_one_that_is_written(name: str, kind: str) -> None:
    for written in [True, 0, -1, 2, 63, 2**53, -(2**63), 0.0, -0.0, 2.5, INF, NAN]:
        maker = Maker(kind)
        if (made := made_or_none(maker, name, maker.params[0], written)) is not None:
            graph = maker.returns(made)
            executable = native.compile(graph)
            for a in VALUES[kind]:
                check_compiled(graph, executable, a)


@pytest.mark.parametrize("name", BINARY)
def test_two_numbers_that_are_written(name: str) -> None:
    for a, b in itertools.product([False, 0, -7, 2.5, NAN], repeat=2):
        maker = Maker()
        if (made := made_or_none(maker, name, a, b)) is not None:
            graph = maker.returns(made)
            check_compiled(graph, native.compile(graph))


def made_or_none(maker: Maker, name: str, *inputs: Any) -> Any:
    try:
        return maker(f"py.{name}", *inputs)
    except TypeError:
        return None  # float << int: refused as in Python


@pytest.mark.parametrize("name", ["truediv", "floordiv", "mod"])
@pytest.mark.parametrize(("kind", "written"), [("float", 3.0), ("float", 2), ("int", 10)])
def test_a_divisor_that_is_written_is_not_looked_at(name: str, kind: str, written: float) -> None:
    maker = Maker(kind)
    executable = native.compile(maker.returns(maker(f"py.{name}", maker.params[0], written)))
    assert ("rt_slow" in executable.llvm) == (kind == "int" and name == "truediv")  # from 2**53 on


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", VALUES)
def test_one_number(name: str, kind: str) -> None:
    graph, executable = compiled(name, kind)
    if graph is not None:
        for a in VALUES[kind]:
            check_compiled(graph, executable, a)


@pytest.mark.parametrize("name", ["py.int", "py.float", "py.bool"])
@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "i64", "i8", "u64", "b1"])
def test_conversion_of_numpy_scalars(name: str, dtype: str) -> None:
    maker = Maker(dtype)
    graph = maker.returns(maker(name, *maker.params))
    executable = native.compile(graph)
    numpy_dtype = parse_type(dtype).dtype  # type: ignore[union-attr]
    values = {"f": FLOATS, "i": [0, 1, -128], "u": [0, 1, 2**64 - 1], "b": [False, True]}[numpy_dtype.kind]
    with np.errstate(all="ignore"):
        for value in values:
            check_compiled(graph, executable, numpy_dtype.type(value))


@pytest.mark.parametrize("dtype", ["i8", "u8", "i32", "u32", "i64", "u64"])
@pytest.mark.parametrize(
    "name", ["add", "multiply", "floor_divide", "remainder", "left_shift", "right_shift", "less", "equal"]
)
def test_numpy_integers_wrap_and_a_python_int_must_fit(name: str, dtype: str) -> None:
    numpy_dtype = parse_type(dtype).dtype  # type: ignore[union-attr]
    info = np.iinfo(numpy_dtype)
    values = [numpy_dtype.type(v) for v in (0, 1, 5, info.min, info.max)]
    maker = Maker(dtype, dtype)
    graph = maker.returns(maker(name, *maker.params))
    executable = native.compile(graph)
    with np.errstate(all="ignore"):
        for a in values:
            for b in values:
                check_compiled(graph, executable, a, b)
    maker = Maker(dtype, "int")
    graph = maker.returns(maker(name, *maker.params))
    executable = native.compile(graph)
    with np.errstate(all="ignore"):
        for a in values:
            for n in (0, 1, -1, 3, 200, 70000, 2**40, -(2**63), 2**63 - 1):
                check_compiled(graph, executable, a, n)


@pytest.mark.parametrize("source", ["f64", "f32", "i64", "u64", "i32", "u8", "b1", "int", "float", "bool"])
@pytest.mark.parametrize("target", ["f64", "f32", "i64", "u64", "i32", "u8", "b1"])
def test_casts(source: str, target: str) -> None:
    t = parse_type(source)
    values: list[Any] = {"f": [0.0, 1.5, 100.7], "i": [0, 1, 100, 127], "u": [0, 1, 255], "b": [False, True]}[
        t.dtype.kind
    ]  # type: ignore[union-attr]
    if not isinstance(t, NumberType):
        values = [t.dtype.type(v) for v in values]  # type: ignore[union-attr]
    maker = Maker(source)
    graph = maker.returns(maker("cast", *maker.params, to=parse_type(target)))
    executable = native.compile(graph)
    for value in values:
        check_compiled(graph, executable, value)


OF_COMPLEX = "add sub mul truediv eq ne complex_of complex neg pos abs real imag conjugate bool not".split()


@pytest.mark.parametrize("name", OF_COMPLEX)
@pytest.mark.parametrize("other", ["complex", "float", "int", "bool"])
def test_complex_numbers_are_machine_code(name: str, other: str) -> None:
    kinds = [other, "float"] if name == "complex_of" else ["complex", other][: 1 + (name in BINARY)]
    if name in ("eq", "ne"):
        kinds.reverse()
    elif name == "complex_of" and other == "complex" or sys.version_info >= (3, 14) and len({*kinds}) == 2:
        return
    _, executable = compiled(name, *kinds)
    assert executable.fallbacks == []


def numbers(random: np.random.Generator, count: int) -> list[complex]:
    """Complex numbers of many sizes, some with parts that rules of their own are for."""
    parts = random.standard_normal((2, count)) * 10.0 ** random.choice(
        [-300, -9, 0, 0, 9, 160, 307], (2, count)
    )
    special = random.random((2, count)) < 0.3
    parts[special] = random.choice([0.0, -0.0, 1.0, INF, -INF, NAN], special.sum())
    return [complex(*pair) for pair in parts.T.tolist()]


#: no kernel is called for these, whatever the numbers are
WITHOUT_KERNEL = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "one": lambda a, b: (-a, +a, a.conjugate(), not a, 1 if a else 2, a.real, a.imag),
    "of": lambda a, b: (complex(a), complex(a.real, b.real), complex(b)),
}
OTHERS = {
    "truediv": lambda a, b: a / b,
    "abs": lambda a, b: abs(a),
    "square": lambda a, b: a**2,
    "cube": lambda a, b: a**3,
    "power": lambda a, b: a**b,
}


def outcome(function: Any, *arguments: Any) -> str:
    try:
        return repr(function(*arguments))
    except (ZeroDivisionError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", [*WITHOUT_KERNEL, *OTHERS])
@pytest.mark.parametrize("other", [complex, float, int])
def test_complex_numbers_are_pythons(name: str, other: type) -> None:
    function = {**WITHOUT_KERNEL, **OTHERS}[name]
    ours, random = rt.function(function), np.random.default_rng(len(name))
    for a, b in zip(numbers(random, 3000), numbers(random, 3000), strict=True):
        b = (
            b
            if other is complex
            else b.real
            if other is float
            else int(np.clip(np.nan_to_num(b.real), -1e15, 1e15))
        )
        assert outcome(ours, a, b) == outcome(function, a, b), (a, b)
    if name in WITHOUT_KERNEL and sys.version_info < (3, 14):
        assert [way for trace in ours.explain().traces for way in trace.slow_ways] == []


@pytest.mark.parametrize("exponent", [2, 3])
def test_powers_of_complex_numbers(exponent: int) -> None:
    maker = Maker("complex")
    graph = maker.returns(maker("py.pow", maker.params[0], exponent))
    executable = native.compile(graph)
    assert executable.fallbacks == [] or sys.version_info >= (3, 14)
    for a in COMPLEXES:
        check_compiled(graph, executable, a)


@pytest.mark.parametrize("name", ["real", "imag"])
@pytest.mark.parametrize("dtype", ["c128", "c64"])
def test_parts_of_numpys_complex_numbers(name: str, dtype: str) -> None:
    maker = Maker(dtype)
    graph = maker.returns(maker(name, *maker.params))
    executable = native.compile(graph)
    assert executable.fallbacks == []
    with np.errstate(all="ignore"):
        for a in COMPLEXES:
            check_compiled(graph, executable, parse_type(dtype).dtype.type(a))  # type: ignore[union-attr]


def test_every_python_operation_is_machine_code() -> None:
    for name in [*BINARY, *UNARY]:
        graph, executable = compiled(name, "int", "int")[:2] if name in BINARY else compiled(name, "int")
        if name not in ("pow", "matmul"):
            assert executable.fallbacks == [], name
    assert "py.pow" in REGISTRY
