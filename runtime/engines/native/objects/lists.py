"""Lists, and buffers of arrays, in machine code: length, append, and items at an int.

What goes wrong, and an item of another kind than the trace knew, is left to the kernel, with its words.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.engines.native.elements import Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import V, i64
from runtime.engines.native.objects import list_objects
from runtime.engines.native.objects.boxes import can_read, own, read
from runtime.engines.native.objects.building import build, build_part, can_build, structures_of
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register, Rep, reference
from runtime.graph import Operation
from runtime.ops.buffers import buffer_class
from runtime.ops.item_patterns import Pattern, Row, Typed, class_of
from runtime.ops.template import Hole
from runtime.types import INT, BufferType, ContainerType


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on a list proper?"""
    form = _FORMS.get(op.name)  # none for some changes of buffers
    return form is not None and form[0](op)


def _is_list_of_known(op: Operation) -> bool:
    structure = op.attributes["template"].structure
    return type(structure) is list and class_of(op.output.type) is list and can_build(structure)


def _is_plain_append(op: Operation) -> bool:
    """To the companion of a list."""
    return op.attributes["operation"] == "list.append" and "template" not in op.attributes


def _can_append(op: Operation) -> bool:
    return _is_row(op) and not _is_tuple(op) and all(map(can_build, structures_of(op)[1:]))


def _can_get(op: Operation) -> bool:
    return _is_row(op) and _has_place(op) and _is_readable(op)


def _can_set(op: Operation) -> bool:
    return _can_append(op) and _has_place(op)


def _can_pop(op: Operation) -> bool:
    return _is_row(op) and not _is_tuple(op) and len(structures_of(op)) == 1 and _is_readable(op)


def _has_place(op: Operation) -> bool:
    place = structures_of(op)[1]
    return isinstance(place, Hole) and op.inputs[place.index].type == INT


def _is_row(op: Operation) -> bool:
    """Is it an operation on a buffer, a list or a tuple?"""
    if structures_of(op)[0] != Hole(0):
        return False
    kind = op.inputs[0].type
    return isinstance(kind, BufferType) or isinstance(kind, ContainerType) and kind.name in ("list", "tuple")


def _is_tuple(op: Operation) -> bool:
    kind = op.inputs[0].type
    return isinstance(kind, ContainerType) and kind.name == "tuple"


def _pattern(op: Operation) -> Pattern | None:
    """What an item that is read may be; None where nobody wants it."""
    kind = op.inputs[0].type
    if "item" in op.attributes:  # a row
        return Typed(op.output.type, buffer_class(op.attributes["item"]))
    if isinstance(kind, BufferType):
        return Typed(kind.item, class_of(kind.item))
    reader = op.attributes.get("reader")
    return None if reader is None else reader.pattern


def _is_readable(op: Operation) -> bool:
    pattern = _pattern(op)
    return pattern is None or can_read(pattern)


def takes_out(op: Operation) -> str:
    """Does it take something out of a container, whose end may run any code? "none", "any", or at the "last",
    when all else is done."""
    _, _, takes = _FORMS[op.name]
    return "any" if "template" in op.attributes else takes  # where a tuple is made, garbage may be looked for


def lends(op: Operation) -> bool:
    """Is what it gives still the container's?"""
    return _FORMS[op.name][1] is _get


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    _, emit, _ = _FORMS[op.name]
    emit(code, op)


def _pointer(code: Codegen, op: Operation) -> V:
    return code.pointer_of(op.inputs[0])


def _new(code: Codegen, op: Operation) -> None:
    code.bind(op.output, Boxed(build(code, op.attributes["template"].structure, op)))


def _length(code: Codegen, op: Operation) -> None:
    found = list_objects.length(code, _pointer(code, op), _is_tuple(op))
    code.reps[op.output] = Register(Element(found, INT.dtype))


def _append(code: Codegen, op: Operation) -> None:
    new, owned = build_part(code, structures_of(op)[1], op)
    list_objects.append(code, _pointer(code, op), new, owned, op.location)


def _append_to_companion(code: Codegen, op: Operation) -> None:
    """Which may be no list."""
    new, owned = build_part(code, structures_of(op)[1], op)
    list_objects.append_by_call(code, _pointer(code, op), new, owned, op.location)


def _place(code: Codegen, op: Operation, slow: SlowPath) -> V:
    """The index, from the start of the list. Beyond its ends the kernel raises."""
    f, index = code.f, code.element_of(op.inputs[structures_of(op)[1].index]).value
    length = list_objects.length(code, _pointer(code, op), _is_tuple(op))
    negative = f.compare("icmp slt", index, i64(0))
    place = f.select(negative, f.binary("add", index, length), index)
    slow.jump_if(f.compare("icmp uge", place, length), True)
    return place


def _get(code: Codegen, op: Operation) -> None:
    """An item, which the list goes on to hold; what the kernel gives is the frame's."""
    slow = SlowPath(code, op)
    found = _item(code, op, _place(code, op, slow), slow)
    slots: list[int | None] = [None] * len(found)

    def hold(results: list[Rep]) -> None:
        for k, rep in enumerate(results):
            pointer = reference(rep)
            slots[k] = None if pointer is None else code.hold(pointer)

    for value, rep, slot in zip(op.outputs, slow.finish(found, after=hold), slots, strict=True):
        code.lend(value, rep, slot)


def _pop(code: Codegen, op: Operation) -> None:
    """The last item, taken out."""
    f, pointer = code.f, _pointer(code, op)
    slow = SlowPath(code, op)
    length = list_objects.length(code, pointer)
    slow.jump_if(f.compare("icmp eq", length, i64(0)), True)
    last = f.binary("sub", length, i64(1))
    found = _item(code, op, last, slow)
    own(code, found)
    list_objects.drop_last(code, pointer, last, op.location)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


def _item(code: Codegen, op: Operation, place: V, slow: SlowPath) -> list[Rep]:
    """The item at a place that is there. One of another kind than expected is the kernel's."""
    pattern = _pattern(op)
    if pattern is None:
        return []
    item = list_objects.item(code, _pointer(code, op), place, _is_tuple(op))
    if op in code.put_again and _is_whole(pattern):
        code.lend_object(op.outputs, item, isinstance(pattern, Row))
    return read(code, pattern, item, slow.jump_if)


def _is_whole(pattern: Pattern) -> bool:
    """Are the flat values of an item those of a number, or the parts of a tuple one by one?"""
    parts = pattern.parts if isinstance(pattern, Row) and pattern.cls is tuple else (pattern,)
    return all(isinstance(part, Typed) for part in parts)


def _set(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    place = _place(code, op, slow)
    structure = structures_of(op)[2]
    value = op.inputs[structure.index] if isinstance(structure, Hole) else None
    rep = None if value is None else code.reps[value]
    if value is not None and isinstance(rep, Register):
        list_objects.set_number(code, _pointer(code, op), place, rep.element, value.type, op.location)
    else:
        new = build(code, structure, op)
        list_objects.set_item(code, _pointer(code, op), place, new, op.location)
    slow.finish([])


def _unpack(code: Codegen, op: Operation) -> None:
    """The check that there are as many items as variables; the kernel raises."""
    slow = SlowPath(code, op)
    before, after = op.attributes["before"], op.attributes["after"]
    length = list_objects.length(code, _pointer(code, op), _is_tuple(op))
    order, needed = ("ne", before) if after is None else ("slt", before + after)
    slow.jump_if(code.f.compare(f"icmp {order}", length, i64(needed)), True)
    slow.finish([])


#: whether it can be written, how, and what it takes out
_FORMS: dict[str, tuple[Callable[[Operation], bool], Callable[[Codegen, Operation], None], str]] = {
    "list.unpack": (_is_row, _unpack, "none"),
    "list.new": (_is_list_of_known, _new, "any"),
    "list.len": (_is_row, _length, "none"),
    "list.append": (_can_append, _append, "none"),
    "list.getitem": (_can_get, _get, "none"),
    "list.pop": (_can_pop, _pop, "last"),
    "list.setitem": (_can_set, _set, "last"),
    "companion.do": (_is_plain_append, _append_to_companion, "any"),
}
_FORMS |= {
    "buffer.len": _FORMS["list.len"],
    "buffer.append": _FORMS["list.append"],
    "buffer.item": _FORMS["list.getitem"],
    "buffer.row": _FORMS["list.getitem"],
    "buffer.pop": _FORMS["list.pop"],
    "buffer.set_item": _FORMS["list.setitem"],
}
