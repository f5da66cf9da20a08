"""Python's complex numbers in machine code: they stay objects, and are calculated with where they lie.

``z * z + c`` reads two doubles of each object, as CPython does, and makes a new object. What is not finite
(some Pythons look closer then), and an object of another class, is left to the kernel.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from runtime.engines.native.elements import Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register
from runtime.graph import Operation
from runtime.types import COMPLEX, FLOAT

Parts = tuple[V, V]

#: where an object holds its class, and a complex its parts
_CLASS, _REAL, _IMAGINARY = 8, 16, 24


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on complex numbers alone? (Python versions differ on mixed ones.)"""
    types = [value.type for value in op.inputs]
    if op.name == "py.complex_of":
        return types == [FLOAT, FLOAT]
    return op.name in _PARTS and all(type == COMPLEX for type in types)


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    slow = SlowPath(code, op)
    if op.name == "py.complex_of":
        real, imaginary = (code.reps[value].element.value for value in op.inputs)  # type: ignore[union-attr]
        made: Boxed | Register = _object(code, op, (real, imaginary))
    elif op.name == "py.abs":
        code.declare("declare double @hypot(double, double) nounwind willreturn memory(none)")
        size = code.f.call("double", "hypot", _parts_of(code, op, slow)[0])
        slow.jump_if(_not_finite(code, size))
        made = Register(Element(size, np.dtype("float64")))
    else:
        parts = _PARTS[op.name](code, *_parts_of(code, op, slow))
        for part in parts:
            slow.jump_if(_not_finite(code, part))
        made = _object(code, op, parts)
    for value, rep in zip(op.outputs, slow.finish([made]), strict=True):
        code.bind(value, rep)


def _parts_of(code: Codegen, op: Operation, slow: SlowPath) -> list[Parts]:
    f, found = code.f, []
    for value in op.inputs:
        rep = code.reps[value]
        assert isinstance(rep, Boxed)
        cls = f.load("ptr", f.offset(rep.pointer, i64(_CLASS)))
        slow.jump_if(f.compare("icmp ne", cls, code.object(complex, "class")))
        real, imaginary = (f.load("double", f.offset(rep.pointer, i64(at))) for at in (_REAL, _IMAGINARY))
        found.append((real, imaginary))
    return found


def _object(code: Codegen, op: Operation, parts: Parts) -> Boxed:
    code.declare("declare ptr @PyComplex_FromDoubles(double, double)")
    made = code.f.call("ptr", "PyComplex_FromDoubles", parts)
    code.fail_if(code.f.compare("icmp eq", made, NULL), op.location)
    return Boxed(made)


def _not_finite(code: Codegen, number: V) -> V:
    """An infinity or no number: the difference from itself is not zero."""
    f = code.f
    return f.compare("fcmp une", f.binary("fsub", number, number), V("double", "0.0"))


def _sum(operation: str) -> Callable[[Codegen, Parts, Parts], Parts]:
    def parts(code: Codegen, a: Parts, b: Parts) -> Parts:
        real, imaginary = (code.f.binary(operation, x, y) for x, y in zip(a, b, strict=True))
        return real, imaginary

    return parts


def _product(code: Codegen, a: Parts, b: Parts) -> Parts:
    def times(x: V, y: V) -> V:
        return code.f.binary("fmul", x, y)

    real = code.f.binary("fsub", times(a[0], b[0]), times(a[1], b[1]))
    return real, code.f.binary("fadd", times(a[0], b[1]), times(a[1], b[0]))


def _negative(code: Codegen, a: Parts) -> Parts:
    real, imaginary = (code.f.value("double", f"fneg {part}") for part in a)
    return real, imaginary


_PARTS: dict[str, Callable[..., Parts]] = {
    "py.add": _sum("fadd"),
    "py.sub": _sum("fsub"),
    "py.mul": _product,
    "py.neg": _negative,
    "py.abs": lambda code, a: a,
}
