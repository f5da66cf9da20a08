"""Python's complex numbers in machine code: they stay objects, and are calculated with where they lie.

``z * z + c`` reads two doubles of each object, as CPython does, and makes a new object. What is not finite
(some Pythons look closer then), and an object of another class, is left to the kernel. A real operand is a
complex one with an imaginary part of zero, until Python 3.14, which has rules of its own for these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.engines.native.elements import Element, convert
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register, Rep
from runtime.graph import Operation
from runtime.graph.rewrite import constant_of
from runtime.types import BOOL, COMPLEX, FLOAT, INT

Parts = tuple[V, V]
Form = Callable[[Codegen, Operation, SlowPath], Boxed | Register]
_ZERO = V("double", "0.0")

#: where an object holds its class, and a complex its parts
_CLASS, _REAL, _IMAGINARY = 8, 16, 24


#: do real operands become complex ones?
_CONVERTS = sys.version_info < (3, 14)


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on complex numbers?"""
    types = [value.type for value in op.inputs]
    are_real = [type in (FLOAT, INT, BOOL) for type in types]
    form = _FORMS.get(op.name)
    if form is _made:
        return all(are_real)
    if form is _power:
        return types[0] == COMPLEX and _CONVERTS and _exponent(op) in _POWERS
    known = all(real or type == COMPLEX for real, type in zip(are_real, types, strict=True))
    return form is not None and known and COMPLEX in types and (_CONVERTS or not any(are_real))


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    slow = SlowPath(code, op)
    made = _FORMS[op.name](code, op, slow)
    for value, rep in zip(op.outputs, slow.finish([made]), strict=True):
        code.bind(value, rep)


def _made(code: Codegen, op: Operation, slow: SlowPath) -> Boxed:
    real, imaginary = (_double(code, code.reps[value]) for value in op.inputs)
    return _object(code, op, (real, imaginary))


def _number(part: Callable[[Codegen, Parts, SlowPath], V]) -> Form:
    """What gives a number."""

    def form(code: Codegen, op: Operation, slow: SlowPath) -> Register:
        found = part(code, _parts_of(code, op, slow)[0], slow)
        return Register(Element(found, np.dtype("float64")))

    return form


def _complex(parts: Callable[..., Parts]) -> Form:
    def form(code: Codegen, op: Operation, slow: SlowPath) -> Boxed:
        return _finite(code, op, parts(code, *_parts_of(code, op, slow)), slow)

    return form


def _finite(code: Codegen, op: Operation, parts: Parts, slow: SlowPath) -> Boxed:
    for part in parts:
        slow.jump_if(_not_finite(code, part))
    return _object(code, op, parts)


def _parts_of(code: Codegen, op: Operation, slow: SlowPath) -> list[Parts]:
    f, found = code.f, []
    for value in op.inputs:
        rep = code.reps[value]
        if not isinstance(rep, Boxed):
            found.append((_double(code, rep), _ZERO))
            continue
        cls = f.load("ptr", f.offset(rep.pointer, i64(_CLASS)))
        slow.jump_if(f.compare("icmp ne", cls, code.object(complex, "class")))
        real, imaginary = (f.load("double", f.offset(rep.pointer, i64(at))) for at in (_REAL, _IMAGINARY))
        found.append((real, imaginary))
    return found


def _double(code: Codegen, rep: Rep) -> V:
    assert isinstance(rep, Register)
    return convert(code.f, rep.element, FLOAT.dtype).value


def _object(code: Codegen, op: Operation, parts: Parts) -> Boxed:
    code.declare("declare ptr @PyComplex_FromDoubles(double, double)")
    made = code.f.call("ptr", "PyComplex_FromDoubles", parts)
    code.fail_if(code.f.compare("icmp eq", made, NULL), op.location)
    return Boxed(made)


def _not_finite(code: Codegen, number: V) -> V:
    """An infinity or no number: the difference from itself is not zero."""
    f = code.f
    return f.compare("fcmp une", f.binary("fsub", number, number), _ZERO)


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


def _quotient(code: Codegen, a: Parts, b: Parts) -> Parts:
    """CPython's way (Smith's): by the larger part of the divisor. A quotient by zero is not finite."""
    f = code.f

    def combined(operation: str, x: V, y: V) -> V:
        return f.binary(operation, x, f.binary("fmul", y, ratio))

    sizes = [f.call("double", "llvm.fabs.f64", (part,)) for part in b]
    by_real = f.compare("fcmp oge", *sizes)
    large, small = f.select(by_real, b[0], b[1]), f.select(by_real, b[1], b[0])
    ratio = f.binary("fdiv", small, large)
    scale = combined("fadd", large, small)
    real = combined("fadd", f.select(by_real, a[0], a[1]), f.select(by_real, a[1], a[0]))
    by_imaginary = f.binary("fsub", f.binary("fmul", a[1], ratio), a[0])
    imaginary = f.select(by_real, combined("fsub", a[1], a[0]), by_imaginary)
    return f.binary("fdiv", real, scale), f.binary("fdiv", imaginary, scale)


_POWERS = (2, 3)


def _exponent(op: Operation) -> Any:
    """Of a power: the int that the program says."""
    made = constant_of(op.inputs[1])
    return made.attributes["value"] if made is not None and op.inputs[1].type == INT else None


def _power(code: Codegen, op: Operation, slow: SlowPath) -> Boxed:
    """As CPython multiplies: one times the base or not, times its square."""
    a, one = _parts_of(code, op, slow)[0], (V("double", "1.0"), _ZERO)
    found = _product(code, _product(code, one, a) if _exponent(op) == 3 else one, _product(code, a, a))
    return _finite(code, op, found, slow)


def _negative(code: Codegen, a: Parts) -> Parts:
    real, imaginary = (code.f.value("double", f"fneg {part}") for part in a)
    return real, imaginary


def _size(code: Codegen, a: Parts, slow: SlowPath) -> V:
    code.declare("declare double @hypot(double, double) nounwind willreturn memory(none)")
    size = code.f.call("double", "hypot", a)
    slow.jump_if(_not_finite(code, size))
    return size


_FORMS: dict[str, Form] = {
    "py.complex_of": _made,
    "py.pow": _power,
    "py.abs": _number(_size),
    "py.real": _number(lambda code, a, slow: a[0]),
    "py.imag": _number(lambda code, a, slow: a[1]),
    "py.add": _complex(_sum("fadd")),
    "py.sub": _complex(_sum("fsub")),
    "py.mul": _complex(_product),
    "py.truediv": _complex(_quotient),
    "py.neg": _complex(_negative),
    "py.conjugate": _complex(lambda code, a: (a[0], code.f.value("double", f"fneg {a[1]}"))),
}
