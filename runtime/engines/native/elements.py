"""The builder that operations' ``native`` rules are written against: numbers in LLVM registers.

Implements ``runtime.ops.formulas.ElementBuilder``. An ``Element`` is an LLVM value with its NumPy dtype;
a bool is an ``i1`` in a register and a byte in memory.
"""

from __future__ import annotations

import functools
import operator
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograph.records import record
from runtime.engines.native import complex_elements as pairs
from runtime.engines.native.ir import FALSE, TRUE, FunctionWriter, V, floating, integer

BOOL = np.dtype("bool")
INT64 = np.dtype("int64")
FLOAT64 = np.dtype("float64")

_REGISTERS = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "i8",
    "uint16": "i16",
    "uint32": "i32",
    "uint64": "i64",
    "float32": "float",
    "float64": "double",
    "complex64": "{float, float}",
    "complex128": "{double, double}",
}

#: libm functions that LLVM knows as intrinsics, so that it can fold and vectorise them
_INTRINSICS = {
    "sqrt": "sqrt",
    "exp": "exp",
    "exp2": "exp2",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "sin": "sin",
    "cos": "cos",
    "pow": "pow",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
    "fabs": "fabs",
    "copysign": "copysign",
}
_LIBM = frozenset(
    "expm1 log1p tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot cbrt "
    "erf erfc tgamma lgamma".split()
)


class Unsupported(Exception):
    """No machine code for this dtype: the kernel is called."""


@record
class Element:
    """A number in a register."""

    value: V
    dtype: np.dtype


@functools.cache
def register_type(dtype: np.dtype) -> str:
    """The LLVM type of a number of this dtype in a register. Raises Unsupported."""
    name = _REGISTERS.get(dtype.name)
    if name is None or not dtype.isnative:
        raise Unsupported(str(dtype))
    return name


@functools.cache
def has_registers(dtype: np.dtype) -> bool:
    return dtype.name in _REGISTERS and dtype.isnative


def memory_type(dtype: np.dtype) -> str:
    return "i8" if dtype == BOOL else register_type(dtype)


def load(f: FunctionWriter, dtype: np.dtype, pointer: V, suffix: str = "") -> Element:
    """The number at an address (which NumPy does not promise to be aligned)."""
    if dtype.kind == "c":
        kind = pairs.PARTS[register_type(dtype)]
        real, imaginary = [
            f.load(kind, f.offset(pointer, V("i64", str(k)), kind), suffix, align=1) for k in (0, 1)
        ]
        return Element(pairs.pair(f, real, imaginary), dtype)
    value = f.load(memory_type(dtype), pointer, suffix, align=1)
    if dtype == BOOL:
        value = f.convert("trunc", value, "i1")
    return Element(value, dtype)


def store(f: FunctionWriter, element: Element, pointer: V, suffix: str = "") -> None:
    value = element.value
    if element.dtype.kind == "c":
        for k, part in enumerate(pairs.parts(f, value)):
            f.store(part, f.offset(pointer, V("i64", str(k)), part.type), suffix, align=1)
        return
    if element.dtype == BOOL:
        value = f.convert("zext", value, "i8")
    f.store(value, pointer, suffix, align=1)


def literal(x: Element) -> int | float | None:
    """The int64 or float64 that is written in the code; None where only the run knows."""
    ref = x.value.ref
    if x.dtype == INT64 and ref.lstrip("-").isdigit():
        return int(ref)
    if x.dtype == FLOAT64 and ref.startswith("0x"):  # the bits, see `floating`
        return struct.unpack(">d", bytes.fromhex(ref[2:]))[0]
    return None


def _bits_of_bool(operation: str, x: V, y: V) -> V | None:
    """``and``, ``or``, ``xor`` of two bools where one is written in the code, and says enough."""
    if x in (TRUE, FALSE):
        x, y = y, x
    if y == FALSE:
        return FALSE if operation == "and" else x
    if y == TRUE and operation != "xor":
        return x if operation == "and" else TRUE
    return None


class LlvmElements:
    """``b`` in ``native(b, x, y)``. ``slow`` is where ``slow_if`` jumps; None where there is no slow way."""

    has_slow_way = True

    def __init__(
        self,
        f: FunctionWriter,
        declare: Callable[[str], None],
        attributes: Mapping[str, Any],
        result: np.dtype,
        slow: Callable[[V, bool], None] | None = None,
    ) -> None:
        self.f = f
        self.declare = declare
        self.attributes = attributes
        self.result = result
        self.slow = slow

    def dtype(self, x: Element) -> np.dtype:
        return x.dtype

    def attribute(self, name: str) -> Any:
        return self.attributes[name]

    def result_dtype(self) -> np.dtype:
        return self.result

    def constant(self, value: Any, dtype: np.dtype) -> Element:
        type = register_type(dtype)
        if dtype.kind == "c":
            return Element(pairs.constant(type, complex(value)), dtype)
        if dtype.kind == "f":
            return Element(floating(type, float(value)), dtype)
        if dtype == BOOL:
            return Element(V("i1", "true" if value else "false"), dtype)
        return Element(integer(type, int(value)), dtype)

    def convert(self, x: Element, dtype: np.dtype) -> Element:
        return convert(self.f, x, dtype)

    # -- arithmetic ------------------------------------------------------------------------------------

    def _arithmetic(self, for_int: str, for_float: str, x: Element, y: Element) -> Element:
        assert x.dtype == y.dtype, f"{for_int} of {x.dtype} and {y.dtype}"
        register_type(x.dtype)
        if x.dtype.kind == "c":
            if for_float == "fmul":
                return Element(pairs.multiply(self.f, x.value, y.value), x.dtype)
            return Element(pairs.each(self.f, for_float, x.value, y.value), x.dtype)
        return Element(
            self.f.binary(for_float if x.dtype.kind == "f" else for_int, x.value, y.value), x.dtype
        )

    def add(self, x: Element, y: Element) -> Element:
        return self._arithmetic("add", "fadd", x, y)

    def sub(self, x: Element, y: Element) -> Element:
        return self._arithmetic("sub", "fsub", x, y)

    def mul(self, x: Element, y: Element) -> Element:
        return self._arithmetic("mul", "fmul", x, y)

    def div(self, x: Element, y: Element) -> Element:
        if x.dtype.kind == "c":
            return Element(pairs.divide(self.f, self.declare, x.value, y.value), x.dtype)
        if x.dtype.kind != "f":
            raise Unsupported("div")
        return self._arithmetic("", "fdiv", x, y)

    def conj(self, x: Element) -> Element:
        return Element(pairs.conjugate(self.f, x.value), x.dtype) if x.dtype.kind == "c" else x

    def quotient(self, x: Element, y: Element) -> Element:
        return self._arithmetic("udiv" if x.dtype.kind in "ub" else "sdiv", "", x, y)

    def remainder(self, x: Element, y: Element) -> Element:
        return self._arithmetic("urem" if x.dtype.kind in "ub" else "srem", "frem", x, y)

    def neg(self, x: Element) -> Element:
        if x.dtype.kind == "c":
            return Element(pairs.negative(self.f, x.value), x.dtype)
        if x.dtype.kind == "f":
            return Element(self.f.value(x.value.type, f"fneg {x.value}"), x.dtype)
        return Element(self.f.binary("sub", V(x.value.type, "0"), x.value), x.dtype)

    def abs(self, x: Element) -> Element:
        if x.dtype.kind == "c":
            found = pairs.absolute(self.f, self.declare, x.value)
            return Element(found, pairs.PART_DTYPES[x.dtype.name])
        if x.dtype.kind == "f":
            return self.call("fabs", x)
        return self.select(self.lt(x, self.constant(0, x.dtype)), self.neg(x), x)

    def _checked(self, operation: str, x: Element, y: Element) -> Element:
        name = f"llvm.{operation}.with.overflow.i64"
        self.declare(f"declare {{i64, i1}} @{name}(i64, i64)")
        pair = self.f.call("{i64, i1}", name, (x.value, y.value))
        found = self.f.value("i64", f"extractvalue {pair}, 0")
        if self.slow is not None:
            self.slow(self.f.value("i1", f"extractvalue {pair}, 1"), True)
        return Element(found, INT64)

    def checked_add(self, x: Element, y: Element) -> Element:
        return self._checked("sadd", x, y)

    def checked_sub(self, x: Element, y: Element) -> Element:
        return self._checked("ssub", x, y)

    def checked_mul(self, x: Element, y: Element) -> Element:
        return self._checked("smul", x, y)

    # -- comparison ------------------------------------------------------------------------------------

    def _compare(self, predicate: str, x: Element, y: Element) -> Element:
        assert x.dtype == y.dtype, f"{predicate} of {x.dtype} and {y.dtype}"
        register_type(x.dtype)
        if (a := literal(x)) is not None and (b := literal(y)) is not None:
            return Element(TRUE if getattr(operator, predicate)(a, b) else FALSE, BOOL)
        if x.dtype.kind == "c":
            if predicate not in ("eq", "ne"):
                raise Unsupported(predicate)
            return Element(pairs.equal(self.f, x.value, y.value, predicate == "eq"), BOOL)
        if x.dtype.kind == "f":
            operation = "fcmp " + ("une" if predicate == "ne" else f"o{predicate}")
        elif predicate in ("eq", "ne"):
            operation = f"icmp {predicate}"
        else:
            operation = f"icmp {'u' if x.dtype.kind in 'ub' else 's'}{predicate}"
        return Element(self.f.compare(operation, x.value, y.value), BOOL)

    def eq(self, x: Element, y: Element) -> Element:
        return self._compare("eq", x, y)

    def ne(self, x: Element, y: Element) -> Element:
        return self._compare("ne", x, y)

    def lt(self, x: Element, y: Element) -> Element:
        return self._compare("lt", x, y)

    def le(self, x: Element, y: Element) -> Element:
        return self._compare("le", x, y)

    def gt(self, x: Element, y: Element) -> Element:
        return self._compare("gt", x, y)

    def ge(self, x: Element, y: Element) -> Element:
        return self._compare("ge", x, y)

    # -- bits and choice -------------------------------------------------------------------------------

    def _bits(self, operation: str, x: Element, y: Element) -> Element:
        assert x.dtype == y.dtype and x.dtype.kind in "biu", f"{operation} of {x.dtype} and {y.dtype}"
        known = _bits_of_bool(operation, x.value, y.value) if x.dtype == BOOL else None
        return Element(known or self.f.binary(operation, x.value, y.value), x.dtype)

    def and_(self, x: Element, y: Element) -> Element:
        return self._bits("and", x, y)

    def or_(self, x: Element, y: Element) -> Element:
        return self._bits("or", x, y)

    def xor(self, x: Element, y: Element) -> Element:
        return self._bits("xor", x, y)

    def not_(self, x: Element) -> Element:
        return self._bits("xor", x, self.constant(True if x.dtype == BOOL else -1, x.dtype))

    def shl(self, x: Element, y: Element) -> Element:
        return self._bits("shl", x, y)

    def shr(self, x: Element, y: Element) -> Element:
        return self._bits("ashr" if x.dtype.kind == "i" else "lshr", x, y)

    def select(self, condition: Element, x: Element, y: Element) -> Element:
        assert x.dtype == y.dtype, f"select of {x.dtype} and {y.dtype}"
        if condition.value in (TRUE, FALSE):
            return x if condition.value == TRUE else y
        return Element(self.f.select(condition.value, x.value, y.value), x.dtype)

    def call(self, name: str, *xs: Element) -> Element:
        dtype = xs[0].dtype
        type = register_type(dtype)
        if dtype.kind != "f":
            raise Unsupported(name)
        if name == "fmod":
            return self.remainder(*xs)
        types = ", ".join([type] * len(xs))
        if name in _INTRINSICS:
            function = f"llvm.{_INTRINSICS[name]}.{'f64' if type == 'double' else 'f32'}"
            self.declare(f"declare {type} @{function}({types})")
        elif name in _LIBM:
            function = name if type == "double" else f"{name}f"
            self.declare(f"declare {type} @{function}({types}) nounwind willreturn memory(none)")
        else:
            raise Unsupported(name)
        return Element(self.f.call(type, function, [x.value for x in xs]), dtype)

    def slow_if(self, condition: Element, raises: bool = False) -> None:
        if self.slow is None:
            raise Unsupported("a slow way inside a loop nest")
        self.slow(condition.value, raises)

    def raise_if(self, condition: Element) -> None:
        self.slow_if(condition, raises=True)


def convert(f: FunctionWriter, x: Element, dtype: np.dtype) -> Element:
    """NumPy's ``astype`` of one number."""
    source, target = x.dtype, dtype
    if source == target:
        return x
    type = register_type(target)
    if target.kind == "c":
        own = pairs.PART_DTYPES[target.name]
        real, imaginary = x, Element(floating(pairs.PARTS[type], 0.0), own)
        if source.kind == "c":
            real, imaginary = [Element(v, pairs.PART_DTYPES[source.name]) for v in pairs.parts(f, x.value)]
        return Element(pairs.pair(f, *[convert(f, part, own).value for part in (real, imaginary)]), target)
    if source.kind == "c":
        if target != BOOL:
            raise Unsupported("the real part")
        zero = pairs.constant(x.value.type, 0)
        return Element(pairs.equal(f, x.value, zero, False), BOOL)
    if target == BOOL:
        operation = "fcmp une" if source.kind == "f" else "icmp ne"
        return Element(f.compare(operation, x.value, _zero(x.value.type)), BOOL)
    if source.kind == "f":
        if target.kind == "f":
            operation = "fpext" if target.itemsize > source.itemsize else "fptrunc"
            return Element(f.convert(operation, x.value, type), target)
        return Element(_float_to_int(f, x, target), target)
    if target == FLOAT64 and (number := literal(x)) is not None:
        return Element(floating(type, float(number)), target)
    if target.kind == "f":
        return Element(f.convert("sitofp" if source.kind == "i" else "uitofp", x.value, type), target)
    if source != BOOL and source.itemsize >= target.itemsize:
        same = source.itemsize == target.itemsize
        return Element(x.value if same else f.convert("trunc", x.value, type), target)
    return Element(f.convert("sext" if source.kind == "i" else "zext", x.value, type), target)


def _zero(type: str) -> V:
    return floating(type, 0.0) if type in ("float", "double") else V(type, "0")


def _float_to_int(f: FunctionWriter, x: Element, target: np.dtype) -> V:
    """As NumPy does on this machine: what does not fit gives the lowest int32 or int64, cut to the width.

    LLVM leaves it undefined, hence the test. An unsigned 64-bit integer is a signed one, and above those
    the signed one of what is left over, with the highest bit the other way round.
    """
    wide = "i64" if target.itemsize >= 4 and target != np.dtype("int32") else "i32"
    bits = int(wide[1:])
    number, half = x.value, floating(x.value.type, 2.0 ** (bits - 1))
    great = f.compare("fcmp oge", number, half) if target == np.dtype("uint64") else None
    if great is not None:
        number = f.select(great, f.binary("fsub", number, half), number)
    # for int32 from double, -2147483648.5 truncates into the range; it does not matter which way it is called
    above = f.compare("fcmp oge", number, floating(number.type, -(2.0 ** (bits - 1))))
    fits = f.binary("and", above, f.compare("fcmp olt", number, half))
    safe = f.select(fits, number, floating(number.type, 0.0))
    lowest = V(wide, str(-(2 ** (bits - 1))))
    found = f.select(fits, f.convert("fptosi", safe, wide), lowest)
    if great is not None:
        found = f.select(great, f.binary("xor", found, lowest), found)
    type = register_type(target)
    return found if type == wide else f.convert("trunc", found, type)
