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
from runtime.types import ObjectType


def plain_operand(x: Any) -> Any:
    value = operand(x)
    if isinstance(value, Staged) and isinstance(value.type, ObjectType):
        raise TypeError(f"must be real number, not {value.type}")
    return value


def _function(module: Any, name: str) -> None:
    @builtin(getattr(module, name))
    def call(*args: Any) -> Any:
        return emit(f"{module.__name__}.{name}", list(map(plain_operand, args)))


def _is_close(module: Any) -> None:
    @builtin(module.isclose)
    def isclose(a: Any, b: Any, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
        return emit(f"{module.__name__}.isclose", [a, b, rel_tol, abs_tol])


for _module in (math, cmath):
    for _name in [name for name in dir(_module) if f"{_module.__name__}.{name}" in REGISTRY]:
        _function(_module, _name)
    _is_close(_module)


@builtin(math.log)
def log(x: Any, base: Any = NOT_GIVEN, /) -> Any:
    if base is NOT_GIVEN:
        return emit("math.log", [plain_operand(x)])
    parts = [
        emit("math.log", [plain_operand(v)]) if isinstance(v, Staged) else math.log(v) for v in (x, base)
    ]
    return emit("py.truediv", parts)


@builtin(math.dist)
def dist(p: Any, q: Any, /) -> Any:
    """As CPython's: the `math.hypot` of the differences."""
    p, q = call(tuple, p), call(tuple, q)
    if isinstance(p, Staged) or isinstance(q, Staged) or len(p) != len(q):
        raise refuse("math.dist() of points of unknown dimensions", "write np.linalg.norm(p - q)")
    return emit("math.hypot", [call(float, a) - call(float, b) for a, b in zip(p, q, strict=True)])
