"""Every stage of a compilation can be looked at."""

from __future__ import annotations

import math
import traceback

import pytest

import runtime as rt
from autograph.errors import StagingError
from runtime import debug
from runtime.engines import native
from runtime.engines.native.lower import lower
from tests.runtime.engines.native.graphs import Maker


def made() -> Maker:
    m = Maker("f64[None]", "f64")
    x, w = m.params
    m.returns(m("sum", m("multiply", m("tanh", x), w)), m("sort", x, axis=-1))
    return m


def test_loop_nests_read_well() -> None:
    assert (
        native.compile(made().graph).loops
        == """\
graph(p0: f64[None], p1: f64)
  call %2 = sort p0 axis=-1 : f64[None]    # made.py:4
  for each [None]:    # made.py:3
    %3 = tanh p0
    %4 = multiply %3, p1
    %5 = sum %4
  free p0
  return %5, %2
"""
    )


def test_llvm_and_assembly() -> None:
    executable = native.compile(made().graph)
    assert "define i32 @entry_body" in executable.llvm
    assert "i32 @entry_body(" in executable.optimised
    assert "entry_body:" in executable.assembly
    assert [name for name, _ in executable.fallbacks] == ["sort"]


def test_debug_levels(capsys: pytest.CaptureFixture[str]) -> None:
    with debug.debug(1):
        native.compile(made().graph)
    assert capsys.readouterr().err == (
        "# --- native graph: 1 operations call their NumPy kernel\nsort at made.py:4\n"
    )
    with debug.debug(3):
        native.compile(made().graph)
    shown = capsys.readouterr().err
    assert "for each [None]:" in shown and "define i32 @entry_body" in shown


def test_what_is_not_supported_says_why() -> None:
    m = Maker("int")
    m.append("gradient", (), (), {}, (m.inside([], lambda: ()),))
    reason = native.supports(m.returns(m.params[0]))
    assert reason == "`gradient` at made.py:1 has no machine code yet"


def test_a_constant_beyond_64_bits_is_not_machine_code() -> None:
    m = Maker("int")
    graph = m.returns(m("py.mod", m.constant(2**70), m.params[0]))
    assert native.supports(graph) == f"the constant {2**70} does not fit in 64 bits"


def test_the_refusal_of_a_constant_names_its_line() -> None:
    def large(n: int) -> int:
        m = n + 1
        return m & (2**64 - 1)

    with pytest.raises(StagingError, match="does not fit in 64 bits") as refusal:
        rt.function(large, engine="native")(3)
    assert refusal.value.line == large.__code__.co_firstlineno + 2
    assert refusal.value.source_line.strip() == "return m & (2**64 - 1)"
    assert traceback.extract_tb(refusal.value.__traceback__)[-1].name.endswith("large")


def test_a_program_that_calls_python_in_a_loop_is_known() -> None:
    def in_a_loop(n, x):
        for _ in range(n):
            x = math.gamma(x)
        return x

    def once(x):
        return math.gamma(x)

    def in_machine_code(n, x):
        for _ in range(n):
            x = x * 0.5
        return x

    def calls_often(f, *args):
        return lower(rt.function(f).get_concrete_function(*args).optimized).calls_often()

    assert calls_often(in_a_loop, 2, 2.5)
    assert not calls_often(once, 2.5)
    assert not calls_often(in_machine_code, 2, 2.5)
