"""Buffers in machine code: items of 8 bytes in the memory of a `Buffer`.

Buffers of arrays are lists (lists.py).

What goes wrong, an append that there is no room for, and a real list (the interpreter makes one inside a
`try`), are left to the kernel.
"""

from __future__ import annotations

from runtime.engines.native import lists
from runtime.engines.native.elements import Element, load, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import V, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.stacks import field_of, pointer_of
from runtime.engines.native.values import DATA, Register, in_register
from runtime.graph import Operation
from runtime.ops.buffers import Buffer
from runtime.ops.stacks import ADDRESS, CAPACITY, COUNT
from runtime.types import INT, ArrayType, BufferType

#: where an object holds its class
_CLASS = 8


def runs_in_machine_code(op: Operation) -> bool:
    kind = op.inputs[0].type if op.inputs else None
    if op.name not in _EMIT or not isinstance(kind, BufferType):
        return False
    if isinstance(kind.item, ArrayType):
        return lists.runs_in_machine_code(op)
    if not in_register(kind.item):
        return False
    return all(in_register(value.type) for value in op.inputs[1:])


def emit(code: Codegen, op: Operation) -> None:
    kind = op.inputs[0].type
    if isinstance(kind, BufferType) and isinstance(kind.item, ArrayType):
        lists.emit(code, op)
    else:
        _EMIT[op.name](code, op)


def _header(code: Codegen, op: Operation, slow: SlowPath) -> V:
    f, buffer = code.f, pointer_of(code, op)
    cls = f.load("ptr", f.offset(buffer, i64(_CLASS)))
    slow.jump_if(f.compare("icmp ne", cls, code.object(Buffer, "class")))
    return f.load("ptr", f.offset(buffer, i64(DATA)))


def _address(code: Codegen, header: V, place: V) -> V:
    return code.f.offset(code.f.load("ptr", field_of(code, header, ADDRESS)), place, "i64")


def _element(code: Codegen, op: Operation, k: int) -> Element:
    rep = code.reps[op.inputs[k]]
    assert isinstance(rep, Register)
    return rep.element


def _loaded(code: Codegen, op: Operation, address: V) -> Register:
    return Register(load(code.f, op.output.type.dtype, address))  # type: ignore[union-attr]


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


_EMIT = {
    "buffer.append": _append,
    "buffer.pop": _pop,
    "buffer.len": _length,
    "buffer.item": _item,
    "buffer.set_item": _set_item,
    "buffer.add_item": _add_item,
}
