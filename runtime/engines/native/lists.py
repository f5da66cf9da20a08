"""Lists, and buffers of arrays, in machine code: length, append, and items at an int, by Python's C API.

What goes wrong, and an item of another class than the trace knew, is left to the kernel, with its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runtime.engines.native.elements import BOOL, Element
from runtime.engines.native.elements import load as load_element
from runtime.engines.native.ir import NULL, V, i32, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register, Rep, array_ref, in_register
from runtime.graph import Operation
from runtime.types import (
    INT,
    PYTHON_TYPES,
    STR,
    ArrayType,
    BufferType,
    ContainerType,
    NumberType,
    ScalarType,
    Type,
)

if TYPE_CHECKING:
    from runtime.engines.native.codegen import Codegen

#: where an object holds its class, and a number its value
_CLASS, _VALUE = 8, 16


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on a list proper?"""
    if "template" in op.attributes:
        return False
    if op.name == "companion.do":
        return bool(op.attributes["operation"] == "list.append")
    if op.name not in _EMIT:
        return False
    kind = op.inputs[0].type
    if not isinstance(kind, BufferType) and not (isinstance(kind, ContainerType) and kind.name == "list"):
        return False
    emit = _EMIT[op.name]
    if emit in (_length, _append):
        return True
    if len(op.inputs) > 1 and op.inputs[1].type != INT or (emit is _pop and len(op.inputs) > 1):
        return False
    return emit is _set or (len(op.outputs) == 1 and _class_of(op.output.type) is not None)


def _class_of(kind: Type) -> type | None:
    """The class of an item that machine code reads; None for those that the kernel reads."""
    if isinstance(kind, NumberType | ScalarType) and not in_register(kind):
        return None
    if isinstance(kind, NumberType):
        return PYTHON_TYPES[kind.kind]
    if isinstance(kind, ScalarType):
        return kind.dtype.type
    if isinstance(kind, ContainerType):
        return {"list": list, "dict": dict, "set": set, "tuple": tuple}.get(kind.name)
    if isinstance(kind, ArrayType):
        return np.ndarray
    return str if kind == STR else None


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    _EMIT[op.attributes["operation"] if op.name == "companion.do" else op.name](code, op)


def _pointer(code: Codegen, op: Operation) -> V:
    rep = code.reps[op.inputs[0]]
    assert isinstance(rep, Boxed)
    return rep.pointer


def _length(code: Codegen, op: Operation) -> None:
    code.declare("declare i64 @PyList_Size(ptr)")
    found = code.f.call("i64", "PyList_Size", (_pointer(code, op),))
    code.reps[op.output] = Register(Element(found, op.output.type.dtype))  # type: ignore[union-attr]


def _append(code: Codegen, op: Operation) -> None:
    f, value = code.f, op.inputs[1]
    code.declare("declare i32 @PyList_Append(ptr, ptr)")
    pointer, owned = code.box(code.reps[value], value.type, op.location)
    slot = code.hold(pointer) if owned else None
    status = f.call("i32", "PyList_Append", (_pointer(code, op), pointer))
    if slot is not None:
        code.release(slot)
    code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)


def _place(code: Codegen, op: Operation, slow: SlowPath) -> V:
    """The index, from the start of the list. Beyond its ends the kernel raises."""
    f, rep = code.f, code.reps[op.inputs[1]]
    assert isinstance(rep, Register)
    code.declare("declare i64 @PyList_Size(ptr)")
    index = rep.element.value
    length = f.call("i64", "PyList_Size", (_pointer(code, op),))
    negative = f.compare("icmp slt", index, i64(0))
    place = f.select(negative, f.binary("add", index, length), index)
    slow.jump_if(f.compare("icmp uge", place, length), True)
    return place


def _get(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    fast = _item(code, op, _place(code, op, slow), slow)
    for value, rep in zip(op.outputs, slow.finish([fast]), strict=True):
        code.bind(value, rep)


def _pop(code: Codegen, op: Operation) -> None:
    """The last item, taken out."""
    f, pointer = code.f, _pointer(code, op)
    slow = SlowPath(code, op)
    code.declare("declare i64 @PyList_Size(ptr)")
    code.declare("declare i32 @PyList_SetSlice(ptr, i64, i64, ptr)")
    length = f.call("i64", "PyList_Size", (pointer,))
    slow.jump_if(f.compare("icmp eq", length, i64(0)), True)
    last = f.binary("sub", length, i64(1))
    fast = _item(code, op, last, slow)
    status = f.call("i32", "PyList_SetSlice", (pointer, last, length, NULL))
    code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)
    for value, rep in zip(op.outputs, slow.finish([fast]), strict=True):
        code.bind(value, rep)


def _item(code: Codegen, op: Operation, place: V, slow: SlowPath) -> Rep:
    """The item at a place that is there. One of another class than expected is the kernel's."""
    f, kind = code.f, op.output.type
    code.declare("declare ptr @PyList_GetItem(ptr, i64)")
    item = f.call("ptr", "PyList_GetItem", (_pointer(code, op), place))
    cls = code.object(_class_of(kind), "class")
    slow.jump_if(f.compare("icmp ne", f.load("ptr", f.offset(item, i64(_CLASS))), cls))
    if isinstance(kind, ArrayType):
        code.check_array(kind, item, op.location)
        f.call("void", "Py_IncRef", (item,))
        return array_ref(f, kind, item)
    if not in_register(kind):
        f.call("void", "Py_IncRef", (item,))
        return Boxed(item)
    if kind == INT:
        code.declare("declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)")
        overflow = f.alloca("i32")
        found = f.call("i64", "PyLong_AsLongLongAndOverflow", (item, overflow))
        slow.jump_if(f.compare("icmp ne", f.load("i32", overflow), i32(0)))
        return Register(Element(found, kind.dtype))
    if kind == NumberType("bool"):
        return Register(Element(f.compare("icmp eq", item, code.symbol("object.True")), BOOL))
    return Register(load_element(f, kind.dtype, f.offset(item, i64(_VALUE))))  # type: ignore[union-attr]


def _set(code: Codegen, op: Operation) -> None:
    f, value = code.f, op.inputs[2]
    slow = SlowPath(code, op)
    place = _place(code, op, slow)
    pointer, owned = code.box(code.reps[value], value.type, op.location)
    if not owned:
        f.call("void", "Py_IncRef", (pointer,))
    status = f.call("i32", "PyList_SetItem", (_pointer(code, op), place, pointer))  # takes the reference
    code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)
    slow.finish([])


_EMIT = {
    "list.len": _length,
    "list.append": _append,
    "list.getitem": _get,
    "list.pop": _pop,
    "list.setitem": _set,
    "buffer.len": _length,
    "buffer.append": _append,
    "buffer.item": _get,
    "buffer.pop": _pop,
    "buffer.set_item": _set,
}
