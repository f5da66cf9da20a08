"""Lists, and buffers of arrays, in machine code: length, append, and items at an int.

What goes wrong, and an item of another kind than the trace knew, is left to the kernel, with its words.
"""

from __future__ import annotations

from typing import Any

from runtime.engines.native import list_objects
from runtime.engines.native.boxes import can_read, own, read
from runtime.engines.native.building import build, can_build
from runtime.engines.native.elements import Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import V, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register, Rep
from runtime.graph import Operation
from runtime.ops.item_patterns import Pattern, Typed, class_of
from runtime.ops.template import Hole
from runtime.types import INT, BufferType, ContainerType


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on a list proper?"""
    if op.name == "companion.do":
        return op.attributes["operation"] == "list.append" and "template" not in op.attributes
    if op.name not in _EMIT or not _is_row(op):
        return False
    emit, args = _EMIT[op.name], _arguments(op)
    if _is_tuple(op) and emit not in (_length, _get):
        return False
    if emit is _pop:
        return len(args) == 1 and _is_readable(op)
    if emit is _get or emit is _set:
        if not isinstance(args[1], Hole) or op.inputs[args[1].index].type != INT:
            return False
    return _is_readable(op) if emit is _get else all(map(can_build, args[1:]))


def _is_row(op: Operation) -> bool:
    """Is it an operation on a buffer, a list or a tuple?"""
    if _arguments(op)[0] != Hole(0):
        return False
    kind = op.inputs[0].type
    return isinstance(kind, BufferType) or isinstance(kind, ContainerType) and kind.name in ("list", "tuple")


def _is_tuple(op: Operation) -> bool:
    kind = op.inputs[0].type
    return isinstance(kind, ContainerType) and kind.name == "tuple"


def _arguments(op: Operation) -> tuple[Any, ...]:
    """What the operation is given, built of its inputs."""
    template = op.attributes.get("template")
    return tuple(map(Hole, range(len(op.inputs)))) if template is None else template.structure


def _pattern(op: Operation) -> Pattern | None:
    """What an item that is read may be; None where nobody wants it."""
    kind = op.inputs[0].type
    if isinstance(kind, BufferType):
        return Typed(kind.item, class_of(kind.item))
    reader = op.attributes.get("reader")
    return None if reader is None else reader.pattern


def _is_readable(op: Operation) -> bool:
    pattern = _pattern(op)
    return pattern is None or can_read(pattern)


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    _EMIT[op.attributes["operation"] if op.name == "companion.do" else op.name](code, op)


def _pointer(code: Codegen, op: Operation) -> V:
    rep = code.reps[op.inputs[0]]
    assert isinstance(rep, Boxed)
    return rep.pointer


def _length(code: Codegen, op: Operation) -> None:
    found = list_objects.length(code, _pointer(code, op), _is_tuple(op))
    code.reps[op.output] = Register(Element(found, INT.dtype))


def _append(code: Codegen, op: Operation) -> None:
    new, owned = _object(code, op, _arguments(op)[1])
    if op.name == "companion.do":  # which may be no list
        return list_objects.append_by_call(code, _pointer(code, op), new, owned, op.location)
    return list_objects.append(code, _pointer(code, op), new, owned, op.location)


def _object(code: Codegen, op: Operation, structure: Any) -> tuple[V, bool]:
    """The object of an argument, and whether the reference is a new one."""
    if isinstance(structure, Hole):
        value = op.inputs[structure.index]
        return code.box(code.reps[value], value.type, op.location)
    return build(code, structure, op), True


def _place(code: Codegen, op: Operation, slow: SlowPath) -> V:
    """The index, from the start of the list. Beyond its ends the kernel raises."""
    f, rep = code.f, code.reps[op.inputs[_arguments(op)[1].index]]
    assert isinstance(rep, Register)
    index = rep.element.value
    length = list_objects.length(code, _pointer(code, op), _is_tuple(op))
    negative = f.compare("icmp slt", index, i64(0))
    place = f.select(negative, f.binary("add", index, length), index)
    slow.jump_if(f.compare("icmp uge", place, length), True)
    return place


def _get(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    _bind(code, op, slow, _item(code, op, _place(code, op, slow), slow))


def _pop(code: Codegen, op: Operation) -> None:
    """The last item, taken out."""
    f, pointer = code.f, _pointer(code, op)
    slow = SlowPath(code, op)
    length = list_objects.length(code, pointer)
    slow.jump_if(f.compare("icmp eq", length, i64(0)), True)
    last = f.binary("sub", length, i64(1))
    found = _item(code, op, last, slow)
    list_objects.drop_last(code, pointer, last, op.location)
    _bind(code, op, slow, found)


def _item(code: Codegen, op: Operation, place: V, slow: SlowPath) -> list[Rep]:
    """The item at a place that is there. One of another kind than expected is the kernel's."""
    pattern = _pattern(op)
    if pattern is None:
        return []
    item = list_objects.item(code, _pointer(code, op), place, _is_tuple(op))
    found = read(code, pattern, item, slow.jump_if)
    own(code, found)
    return found


def _bind(code: Codegen, op: Operation, slow: SlowPath, found: list[Rep]) -> None:
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


def _set(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    place = _place(code, op, slow)
    new = build(code, _arguments(op)[2], op)
    list_objects.set_item(code, _pointer(code, op), place, new, op.location)
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
