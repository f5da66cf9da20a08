"""Buffers in machine code: items of 8 bytes in the memory of a `Buffer`.

Buffers of arrays are lists (lists.py).

What goes wrong, an append that there is no room for, and a real list (the interpreter makes one inside a
`try`), are left to the kernel.
"""

from __future__ import annotations

import numpy as np

from runtime.engines.native.elements import Element, load, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, counted_loop, i32, i64
from runtime.engines.native.objects import lists
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.stacks import field_of, pointer_of
from runtime.engines.native.values import DATA, Boxed, Register, in_word
from runtime.graph import Operation
from runtime.graph.effects import effects_of
from runtime.ops.buffers import FIRST_CAPACITY, buffer_class
from runtime.ops.stacks import ADDRESS, CAPACITY, COUNT, HEADER
from runtime.types import INT, ArrayType, BufferType

#: where an object holds its class
_CLASS = 8
#: the kernel says that there is no memory for more items than these
_MOST = 1 << 40


def runs_in_machine_code(op: Operation) -> bool:
    if makes(op):
        return in_word(op.attributes["item"])
    kind = op.inputs[0].type
    if not isinstance(kind, BufferType):
        return False
    if isinstance(kind.item, ArrayType):
        return lists.runs_in_machine_code(op)
    return in_word(kind.item) and all(in_word(value.type) for value in op.inputs[1:])


def emit(code: Codegen, op: Operation) -> None:
    kind = op.output.type if makes(op) else op.inputs[0].type
    assert isinstance(kind, BufferType)
    (lists.emit if isinstance(kind.item, ArrayType) else _EMIT[op.name])(code, op)


def _header(code: Codegen, op: Operation, slow: SlowPath) -> V:
    f, buffer, kind = code.f, pointer_of(code, op), op.inputs[0].type
    assert isinstance(kind, BufferType) and not isinstance(kind.item, ArrayType)
    cls = f.load("ptr", f.offset(buffer, i64(_CLASS)))
    slow.jump_if(f.compare("icmp ne", cls, code.object(buffer_class(kind.item), "class")))
    return f.load("ptr", f.offset(buffer, i64(DATA)))


def _address(code: Codegen, header: V, place: V) -> V:
    return code.f.offset(code.f.load("ptr", field_of(code, header, ADDRESS)), place, "i64")


def _element(code: Codegen, op: Operation, k: int) -> Element:
    return code.element_of(op.inputs[k])


def _loaded(code: Codegen, op: Operation, address: V) -> Register:
    return Register(load(code.f, op.output.dtype, address))


def _append(code: Codegen, op: Operation) -> None:
    f, slow = code.f, SlowPath(code, op)
    header = _header(code, op, slow)
    count = f.load("i64", field_of(code, header, COUNT))
    slow.jump_if(f.compare("icmp sge", count, f.load("i64", field_of(code, header, CAPACITY))))
    store(f, _element(code, op, 1), _address(code, header, count))
    f.store(f.binary("add", count, i64(1)), field_of(code, header, COUNT))
    slow.finish([])


def _pop(code: Codegen, op: Operation) -> None:
    f, slow = code.f, SlowPath(code, op)
    header = _header(code, op, slow)
    count = f.load("i64", field_of(code, header, COUNT))
    slow.jump_if(f.compare("icmp eq", count, i64(0)), True)
    last = f.binary("sub", count, i64(1))
    f.store(last, field_of(code, header, COUNT))
    fast = _loaded(code, op, _address(code, header, last))
    (code.reps[op.output],) = slow.finish([fast])


def _length(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    count = code.f.load("i64", field_of(code, _header(code, op, slow), COUNT))
    (code.reps[op.output],) = slow.finish([Register(Element(count, INT.dtype))])


def _place(code: Codegen, op: Operation, slow: SlowPath) -> V:
    """The address of an item. Beyond the ends the kernel raises."""
    f, header = code.f, _header(code, op, slow)
    count, index = f.load("i64", field_of(code, header, COUNT)), _element(code, op, 1).value
    negative = f.compare("icmp slt", index, i64(0))
    place = f.select(negative, f.binary("add", index, count), index)
    slow.jump_if(f.compare("icmp uge", place, count), True)
    return _address(code, header, place)


def _item(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    fast = _loaded(code, op, _place(code, op, slow))
    (code.reps[op.output],) = slow.finish([fast])


def _set_item(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    store(code.f, _element(code, op, 2), _place(code, op, slow))
    slow.finish([])


def _add_item(code: Codegen, op: Operation) -> None:
    f, slow = code.f, SlowPath(code, op)
    address, term = _place(code, op, slow), _element(code, op, 2)
    known = load(f, term.dtype, address)
    store(f, Element(f.binary("fadd", known.value, term.value), term.dtype), address)
    slow.finish([])


def makes(op: Operation) -> bool:
    """Does it make an object? Garbage may be looked for then."""
    return effects_of(op).makes == "memory"


def _new(code: Codegen, op: Operation) -> None:
    pointer, header = _made(code, op, i64(FIRST_CAPACITY))
    code.f.store(i64(0), field_of(code, header, COUNT))
    code.bind(op.output, Boxed(pointer))


def _full(code: Codegen, op: Operation) -> None:
    """One number many times over."""
    f, slow = code.f, SlowPath(code, op)
    number, times = _element(code, op, 0), _element(code, op, 1).value
    slow.jump_if(f.compare("icmp sgt", times, i64(_MOST)))
    count = f.select(f.compare("icmp slt", times, i64(0)), i64(0), times)
    some = f.compare("icmp sgt", count, i64(FIRST_CAPACITY))
    pointer, header = _made(code, op, f.select(some, count, i64(FIRST_CAPACITY)))
    f.store(count, field_of(code, header, COUNT))
    first = field_of(code, header, HEADER)
    counted_loop(f, i64(0), count, i64(1), lambda k: store(f, number, f.offset(first, k, "i64")))
    (rep,) = slow.finish([Boxed(pointer)])
    code.bind(op.output, rep)


def _made(code: Codegen, op: Operation, capacity: V) -> tuple[V, V]:
    """A buffer and its header, as `Buffer.__new__`, whose steps take longer than a short program."""
    f, shape = code.f, code.f.alloca("i64")
    f.store(f.binary("add", capacity, i64(HEADER)), shape)
    cls, number = code.object(buffer_class(op.attributes["item"]), "class"), i32(np.dtype("int64").num)
    pointer = f.call("ptr", "PyArray_New", (cls, i32(1), shape, number, NULL, NULL, i32(0), i32(0), NULL))
    code.fail_if(f.compare("icmp eq", pointer, NULL), op.location)
    header = f.load("ptr", f.offset(pointer, i64(DATA)))
    f.store(field_of(code, header, HEADER), field_of(code, header, ADDRESS))
    f.store(capacity, field_of(code, header, CAPACITY))
    return pointer, header


_EMIT = {
    "buffer.new": _new,
    "buffer.full": _full,
    "buffer.append": _append,
    "buffer.pop": _pop,
    "buffer.len": _length,
    "buffer.item": _item,
    "buffer.set_item": _set_item,
    "buffer.add_item": _add_item,
}
