"""Python's complex numbers in machine code: pairs of registers, as NumPy's, with Python's own rules.

What Python may raise for, or reckon with in another way from one version to the next (a quotient, power or
size that is not finite), is left to the kernel. A real operand is a complex one with an imaginary part of
zero, until Python 3.14, which has rules of its own for these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from runtime.engines.native import complex_elements as pairs
from runtime.engines.native.elements import Element, convert
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import V, floating, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Register, in_register
from runtime.graph import Operation
from runtime.graph.rewrite import constant_of
from runtime.types import BOOL, COMPLEX, FLOAT, INT

Form = Callable[[Codegen, Operation, SlowPath, list[Element]], V]
_NOTHING = pairs.constant("{double, double}", 0)

#: do real operands become complex ones, and do products go by the textbook?
_CONVERTS = sys.version_info < (3, 14)


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on complex numbers?"""
    types, form = [value.type for value in op.inputs], _FORMS.get(op.name)
    if form in (_converted, _true, _untrue):
        kinds = [value.dtype.kind for value in (*op.inputs, op.output) if in_register(value.type)]
        return len(kinds) == 2 and kinds[form is _converted] == "c"
    if form is _made:
        return all(in_register(t) and (t in (INT, BOOL) or t.dtype.kind == "f") for t in types)
    are_real = [type in (FLOAT, INT, BOOL) for type in types]
    if COMPLEX not in types or not all(r or t == COMPLEX for r, t in zip(are_real, types, strict=True)):
        return False
    if form is _power:
        return types[0] == COMPLEX and _CONVERTS and _exponent(op) in _POWERS
    return form is not None and (_CONVERTS or form in (_equal, _unequal) or not any(are_real))


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    slow = SlowPath(code, op)
    given = [rep.element for value in op.inputs if isinstance(rep := code.reps[value], Register)]
    found = Element(_FORMS[op.name](code, op, slow, given), op.output.dtype)
    (code.reps[op.output],) = slow.finish([Register(found)])


def _pairs(code: Codegen, given: list[Element]) -> list[V]:
    return [convert(code.f, x, COMPLEX.dtype).value for x in given]


def _made(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
    real, imaginary = [convert(code.f, x, FLOAT.dtype).value for x in given]
    return pairs.pair(code.f, real, imaginary)


def _converted(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
    return convert(code.f, given[0], op.output.dtype).value


def _are_same(code: Codegen, two: list[V], same: bool) -> V:
    return pairs.equal(code.f, two[0], two[1], same)


def _true(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
    return _are_same(code, [*_pairs(code, given), _NOTHING], False)


def _untrue(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
    return _are_same(code, [*_pairs(code, given), _NOTHING], True)


def _equal(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
    _require_exact(code, given, slow)
    return _are_same(code, _pairs(code, given), True)


def _unequal(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
    _require_exact(code, given, slow)
    return _are_same(code, _pairs(code, given), False)


def _of_parts(write: Callable[..., V], may_raise: bool = False) -> Form:
    """``write`` has pairs; ``may_raise``: where the result is not finite."""

    def form(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
        return _checked(code, write(code, *_pairs(code, given)), slow, may_raise)

    return form


def _checked(code: Codegen, found: V, slow: SlowPath, may_raise: bool) -> V:
    numbers = pairs.parts(code.f, found) if found.type in pairs.PARTS else (found,)
    for number in numbers if may_raise else ():
        slow.jump_if(_not_finite(code, number))
    return found


def _not_finite(code: Codegen, number: V) -> V:
    """An infinity or no number: the difference from itself is not zero."""
    f = code.f
    return f.compare("fcmp une", f.binary("fsub", number, number), floating("double", 0.0))


def _require_exact(code: Codegen, given: list[Element], slow: SlowPath) -> None:
    """Python compares with the int itself, which a float may not hold."""
    for x in given:
        if x.dtype == INT.dtype:
            from_lowest = code.f.binary("add", x.value, i64(2**53))
            slow.jump_if(code.f.compare("icmp ugt", from_lowest, i64(2**54)))


def _quotient(code: Codegen, x: V, y: V) -> V:
    """CPython's way (Smith's): by the larger part of the divisor. A quotient by zero is not finite."""
    f, a, b = code.f, pairs.parts(code.f, x), pairs.parts(code.f, y)

    def combined(operation: str, x: V, y: V) -> V:
        return f.binary(operation, x, f.binary("fmul", y, ratio))

    by_real = f.compare("fcmp oge", *[pairs.magnitude(f, code.declare, part) for part in b])
    large, small = f.select(by_real, b[0], b[1]), f.select(by_real, b[1], b[0])
    ratio = f.binary("fdiv", small, large)
    scale = combined("fadd", large, small)
    real = combined("fadd", f.select(by_real, a[0], a[1]), f.select(by_real, a[1], a[0]))
    by_imaginary = f.binary("fsub", f.binary("fmul", a[1], ratio), a[0])
    imaginary = f.select(by_real, combined("fsub", a[1], a[0]), by_imaginary)
    return pairs.pair(f, f.binary("fdiv", real, scale), f.binary("fdiv", imaginary, scale))


_POWERS = (2, 3)


def _exponent(op: Operation) -> Any:
    """Of a power: the int that the program says."""
    made = constant_of(op.inputs[1])
    return made.attributes["value"] if made is not None and op.inputs[1].type == INT else None


def _power(code: Codegen, op: Operation, slow: SlowPath, given: list[Element]) -> V:
    """As CPython multiplies: one times the base or not, times its square."""
    f, (x, *_) = code.f, _pairs(code, given)
    first = one = pairs.constant(x.type, 1)
    if _exponent(op) != 2:
        first = pairs.multiply(f, one, x)
    return _checked(code, pairs.multiply(f, first, pairs.multiply(f, x, x)), slow, True)


_FORMS: dict[str, Form] = {
    "py.complex_of": _made,
    "py.complex": _converted,
    "cast": _converted,
    "py.bool": _true,
    "py.not": _untrue,
    "py.eq": _equal,
    "py.ne": _unequal,
    "py.pow": _power,
    "py.add": _of_parts(lambda code, x, y: pairs.each(code.f, "fadd", x, y)),
    "py.sub": _of_parts(lambda code, x, y: pairs.each(code.f, "fsub", x, y)),
    "py.mul": _of_parts(lambda code, x, y: pairs.multiply(code.f, x, y), may_raise=not _CONVERTS),
    "py.truediv": _of_parts(_quotient, may_raise=True),
    "py.abs": _of_parts(lambda code, x: pairs.absolute(code.f, code.declare, x), may_raise=True),
    "py.pos": _of_parts(lambda code, x: x),
    "py.neg": _of_parts(lambda code, x: pairs.negative(code.f, x)),
    "py.conjugate": _of_parts(lambda code, x: pairs.conjugate(code.f, x)),
    "py.real": _of_parts(lambda code, x: pairs.parts(code.f, x)[0]),
    "py.imag": _of_parts(lambda code, x: pairs.parts(code.f, x)[1]),
}
