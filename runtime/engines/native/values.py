"""How the values of a graph live in machine code.

Python numbers, NumPy scalars   a register (``Register``)
arrays                          ``ArrayRef``: the object that keeps the memory alive, the address of the
                                first element, lengths and strides, all in registers
everything else                 a pointer to the Python object (``Boxed``): str, object, float16
"""

from __future__ import annotations

from typing import TypeAlias, TypeGuard

from autograph.records import record
from runtime.engines.native.elements import Element, has_registers, register_type
from runtime.engines.native.ir import FALSE, TRUE, FunctionWriter, V, i64
from runtime.types import ArrayType, NumberType, ScalarType, Type

# offsets into PyArrayObject, part of NumPy's ABI
DATA, NDIM, DIMS, STRIDES, BASE, DESCR, FLAGS = 16, 24, 32, 40, 48, 56, 64
WRITEABLE = 0x400
WARN_ON_WRITE = 1 << 31


@record
class Register:
    element: Element


@record
class Boxed:
    pointer: V


@record
class ArrayRef:
    """``holder`` is the ndarray itself where ``exact``, else an ndarray whose memory this is a part of."""

    type: ArrayType
    holder: V
    data: V
    dims: tuple[V, ...]
    strides: tuple[V, ...]  # in bytes
    writable: V
    exact: V
    contiguous: bool = False  # known to be C-contiguous while compiling
    turned: bool = False  # the last axis was reversed: where it is dense, its stride is minus the item's size

    @property
    def itemsize(self) -> int:
        return self.type.dtype.itemsize


Rep: TypeAlias = Register | Boxed | ArrayRef


def in_register(type: Type) -> TypeGuard[NumberType | ScalarType]:
    return isinstance(type, NumberType | ScalarType) and has_registers(type.dtype)


def in_word(type: Type) -> TypeGuard[NumberType | ScalarType]:
    """Is it a number in a register of at most 8 bytes?"""
    return in_register(type) and type.dtype.kind != "c"


def has_reference(type: Type) -> bool:
    """Does a value of this type own a reference to a Python object?"""
    return not in_register(type)


def is_native_array(type: Type) -> TypeGuard[ArrayType]:
    return isinstance(type, ArrayType) and has_registers(type.dtype)


def array_ref(f: FunctionWriter, type: ArrayType, pointer: V, writable: V | None = None) -> ArrayRef:
    """Read an ndarray object's fields into registers. ``writable``: where that is known."""
    dims, strides = [], []
    data = f.load("ptr", f.offset(pointer, i64(DATA)))
    if None in type.shape:
        dims_at = f.load("ptr", f.offset(pointer, i64(DIMS)))
    if type.ndim:
        strides_at = f.load("ptr", f.offset(pointer, i64(STRIDES)))
    for axis, length in enumerate(type.shape):
        dims.append(f.load("i64", f.offset(dims_at, i64(8 * axis))) if length is None else i64(length))
        strides.append(f.load("i64", f.offset(strides_at, i64(8 * axis))))
    if writable is None:
        flags = f.load("i32", f.offset(pointer, i64(FLAGS)))
        masked = f.binary("and", flags, V("i32", str(WRITEABLE - WARN_ON_WRITE)))
        writable = f.compare("icmp eq", masked, V("i32", str(WRITEABLE)))
    return ArrayRef(type, pointer, data, tuple(dims), tuple(strides), writable, TRUE)


def contiguous_strides(f: FunctionWriter, itemsize: int, dims: tuple[V, ...]) -> tuple[V, ...]:
    """Byte strides of a fresh C-ordered array."""
    strides: list[V] = []
    step = i64(itemsize)
    for length in reversed(dims):
        strides.append(step)
        step = product(f, step, length)
    return tuple(reversed(strides))


def product(f: FunctionWriter, a: V, b: V) -> V:
    """``a * b`` of lengths, computed now where both are known."""
    for known, other in ((a, b), (b, a)):
        if known.ref == "1":
            return other
    if is_literal(a) and is_literal(b):
        return i64(int(a.ref) * int(b.ref))
    return f.binary("mul nsw", a, b)


def is_literal(v: V) -> bool:
    return v.ref.lstrip("-").isdigit()


# -- values as lists of registers, for phis ------------------------------------------------------------


def components(rep: Rep) -> tuple[V, ...]:
    """The registers of a value, in the order of ``component_types``."""
    if isinstance(rep, Register):
        return (rep.element.value,)
    if isinstance(rep, Boxed):
        return (rep.pointer,)
    return (rep.holder, rep.data, rep.writable, rep.exact, *rep.dims, *rep.strides)


def component_types(type: Type) -> tuple[str, ...]:
    if in_register(type):
        return (register_type(type.dtype),)
    if not isinstance(type, ArrayType):
        return ("ptr",)
    return ("ptr", "ptr", "i1", "i1", *("i64",) * (2 * type.ndim))


def from_components(type: Type, parts: tuple[V, ...]) -> Rep:
    if in_register(type):
        return Register(Element(parts[0], type.dtype))
    if not isinstance(type, ArrayType):
        return Boxed(parts[0])
    holder, data, writable, exact, *rest = parts
    dims = [i64(n) if n is not None else v for n, v in zip(type.shape, rest, strict=False)]
    return ArrayRef(type, holder, data, tuple(dims), tuple(rest[type.ndim :]), writable, exact)


def element_in(rep: Rep) -> Element:
    """The number in a register."""
    assert isinstance(rep, Register), rep
    return rep.element


def reference(rep: Rep) -> V | None:
    """The Python object that the value keeps alive."""
    if isinstance(rep, Boxed):
        return rep.pointer
    return rep.holder if isinstance(rep, ArrayRef) else None


__all__ = ["FALSE", "ArrayRef", "Boxed", "Register", "Rep", "array_ref", "components", "from_components"]
