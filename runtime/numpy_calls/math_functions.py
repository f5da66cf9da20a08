"""The functions of ``math`` and ``cmath`` on staged numbers."""

from __future__ import annotations

import cmath
import math
from typing import Any

from autograph.operators import call
from runtime.numpy_calls.table import NOT_GIVEN, builtin
from runtime.ops.definition import REGISTRY
from runtime.staged.operands import operand
from runtime.tracer.builder import Staged, emit, refuse
from runtime.types import (
    ObjectType,
)


def _math(name: str) -> None:
    @builtin(getattr(math, name))
    def call(*args: Any) -> Any:
        return emit(f"math.{name}", [plain_operand(a) for a in args])


def plain_operand(x: Any) -> Any:
    value = operand(x)
    if isinstance(value, Staged) and isinstance(value.type, ObjectType):
        raise TypeError(f"must be real number, not {value.type}")
    return value


for _name in [name.removeprefix("math.") for name in REGISTRY if name.startswith("math.")]:
    if hasattr(math, _name) and _name not in ("log", "isclose"):
        _math(_name)


def _complex_math(name: str) -> None:
    @builtin(getattr(cmath, name))
    def call(*args: Any) -> Any:
        return emit(f"cmath.{name}", [operand(a) for a in args])


for _name in [name.removeprefix("cmath.") for name in REGISTRY if name.startswith("cmath.")]:
    if _name != "isclose":
        _complex_math(_name)


@builtin(math.log)
def log(x: Any, base: Any = NOT_GIVEN, /) -> Any:
    if base is NOT_GIVEN:
        return emit("math.log", [plain_operand(x)])
    parts = [
        emit("math.log", [plain_operand(v)]) if isinstance(v, Staged) else math.log(v) for v in (x, base)
    ]
    return emit("py.truediv", parts)


def _is_close(module: Any) -> None:
    @builtin(module.isclose)
    def isclose(a: Any, b: Any, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
        return emit(f"{module.__name__}.isclose", [a, b, rel_tol, abs_tol])


_is_close(math)
_is_close(cmath)


@builtin(math.dist)
def dist(p: Any, q: Any, /) -> Any:
    """As CPython's: the `math.hypot` of the differences."""
    p, q = call(tuple, p), call(tuple, q)
    if isinstance(p, Staged) or isinstance(q, Staged):
        raise refuse("math.dist() of points of unknown dimensions", "write np.linalg.norm(p - q)")
    p, q = ([call(float, c) if isinstance(c, Staged) else c for c in point] for point in (p, q))
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return emit("math.hypot", [a - b for a, b in zip(p, q, strict=True)])
