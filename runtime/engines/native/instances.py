"""Attributes of the user's objects in machine code: reading, storing, and making objects.

A value that stands where `attribute_places.py` says is read and replaced there. One that a store adds, or
that a ``__dict__`` holds by now, goes by Python's C API; an attribute that is not there, and an object of
another kind than the trace knew, are the kernel's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from runtime.engines.native import attribute_places as places
from runtime.engines.native.attribute_places import Member, Place, can_be_made, place_of
from runtime.engines.native.boxes import can_read, declare_counts, decref, own, read
from runtime.engines.native.building import build, can_build
from runtime.engines.native.elements import BOOL, Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, i32, i64
from runtime.engines.native.layouts import CLASS, VALUE
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register
from runtime.graph import Operation
from runtime.graph.rewrite import constant_of
from runtime.ops.item_patterns import class_of
from runtime.ops.objects import ABSENT
from runtime.ops.template import Hole
from runtime.types import FLOAT, InstanceType, ObjectType


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on an object whose attributes have a place?"""
    if op.name == "is":
        return all(isinstance(value.type, ObjectType) for value in op.inputs)
    if op.name == "object.getattr":
        return _place(op) is not None and can_read(op.attributes["reader"].pattern)
    if op.name == "object.setattr":
        return _place(op) is not None and can_build(_arguments(op)[2])
    return op.name in _EMIT and _can_make(op)


def _can_make(op: Operation) -> bool:
    cls, held = op.attributes["cls"], op.attributes["template"].structure
    return can_be_made(cls) and all(
        place_of(cls, sys.intern(name)) is not None and can_build(part) and not _may_be_absent(op, part)
        for name, part in held.items()
    )


def _may_be_absent(op: Operation, part: Any) -> bool:
    if not isinstance(part, Hole):
        return part is ABSENT
    kind = op.inputs[part.index].type
    return class_of(kind) is None and not isinstance(kind, InstanceType)


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    _EMIT[op.name](code, op)


def _arguments(op: Operation) -> tuple[Any, ...]:
    """What the operation is given, built of its inputs."""
    template = op.attributes.get("template")
    return tuple(map(Hole, range(len(op.inputs)))) if template is None else template.structure


def _name(op: Operation) -> str | None:
    """The name of the attribute, where the first argument is the object."""
    target, name, *_ = _arguments(op)
    if isinstance(name, Hole):
        constant = constant_of(op.inputs[name.index])
        name = None if constant is None else constant.attributes["value"]
    return sys.intern(name) if target == Hole(0) and type(name) is str else None


def _place(op: Operation) -> Place | None:
    kind, name = op.inputs[0].type, _name(op)
    return place_of(kind.cls, name) if isinstance(kind, InstanceType) and name is not None else None


def _pointer(code: Codegen, op: Operation, position: int = 0) -> V:
    rep = code.reps[op.inputs[position]]
    assert isinstance(rep, Boxed)
    return rep.pointer


def _is(code: Codegen, op: Operation) -> None:
    same = code.f.compare("icmp eq", _pointer(code, op), _pointer(code, op, 1))
    code.reps[op.output] = Register(Element(same, BOOL))


# -- reading -------------------------------------------------------------------------------------------


def _get(code: Codegen, op: Operation) -> None:
    f, place, name = code.f, _place(op), _name(op)
    slow = SlowPath(code, op)
    if isinstance(place, Member):
        item = f.load("ptr", f.offset(_pointer(code, op), i64(place.offset)))
    else:
        assert place is not None
        _declare(code)
        given = (_pointer(code, op), i64(place.first), i64(place.index))
        item = f.call("ptr", "object.attribute", (*given, code.object(name, "name"), i64(hash(name))))
    slow.jump_if(f.compare("icmp eq", item, NULL))
    found = read(code, op.attributes["reader"].pattern, item, slow.jump_if)
    own(code, found)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


# -- storing -------------------------------------------------------------------------------------------


def _set(code: Codegen, op: Operation) -> None:
    f, place, name, new = code.f, _place(op), _name(op), _arguments(op)[2]
    assert place is not None and name is not None
    target, done = _pointer(code, op), None
    if isinstance(new, Hole) and op.inputs[new.index].type == FLOAT:
        rep, done, anew = code.reps[op.inputs[new.index]], f.label("stored"), f.label("anew")
        assert isinstance(rep, Register)
        _declare(code)
        code.symbol("type.float")
        code.define_global(_REPLACE_FLOAT)
        where = _cell(code, target, place)
        f.branch(f.call("i1", "float.replace", (where, rep.element.value)), done, anew)
        f.at(anew)
    _store(code, op, target, place, name, build(code, new, op))
    if done is not None:
        f.jump(done)
        f.at(done)


def _cell(code: Codegen, target: V, place: Place) -> V:
    """The address of the value of an attribute; NULL where it is not at its place, or may not be replaced."""
    if isinstance(place, Member):
        return code.f.offset(target, i64(place.offset))
    return code.f.call("ptr", "object.cell", (target, i64(place.first), i64(place.index)))


def _store(code: Codegen, op: Operation, target: V, place: Place, name: str, new: V) -> None:
    """Takes over the reference to the new value. What was there goes last: its end may run any code."""
    f = code.f
    if isinstance(place, Member):
        at = f.offset(target, i64(place.offset))
        old = f.load("ptr", at)
        f.store(new, at)
        return decref(code, old)
    _declare(code)
    given = (target, i64(place.first), i64(place.index), code.object(name, "name"), new)
    status = f.call("i32", "object.store", given)
    return code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)


# -- making --------------------------------------------------------------------------------------------


def _make(code: Codegen, op: Operation) -> None:
    """All attributes first; then the object, in whose places there is nothing yet."""
    f, cls = code.f, op.attributes["cls"]
    held = {sys.intern(name): part for name, part in op.attributes["template"].structure.items()}
    slots = {name: code.hold(build(code, part, op)) for name, part in held.items()}
    code.declare("declare ptr @object.new(ptr, ptr, ptr)")
    made = f.call("ptr", "object.new", (code.object(cls, "class"), code.object((), "nothing"), NULL))
    code.fail_if(f.compare("icmp eq", made, NULL), op.location)
    for name, slot in slots.items():
        place, value = place_of(cls, name), code.slot_take(slot)
        if isinstance(place, Member):
            f.store(value, f.offset(made, i64(place.offset)))
        else:
            assert place is not None
            _declare(code)
            f.call("void", "object.add", (made, i64(place.first), i64(place.index), value))
    code.bind(op.output, Boxed(made))


_EMIT: dict[str, Callable[[Codegen, Operation], None]] = {
    "object.getattr": _get,
    "object.setattr": _set,
    "object.make": _make,
    "object.new": _make,
    "is": _is,
}

# -- values beside an object ---------------------------------------------------------------------------


def _declare(code: Codegen) -> None:
    """The functions below, which LLVM writes into their callers."""
    code.declare("declare ptr @_PyDict_GetItem_KnownHash(ptr, ptr, i64)")
    code.declare("declare void @PyErr_Clear()")
    code.declare("declare i32 @PyObject_GenericSetAttr(ptr, ptr, ptr)")
    declare_counts(code)
    code.define_global(_VALUES[places.KNOWN])
    code.define_global(_MAY_REPLACE[places.KNOWN])
    code.define_global(_ADD[places.KNOWN])
    code.define_global(_FUNCTIONS)


#: the address of the first value; NULL where the object has a dict instead
_VALUES = {
    (3, 11): f"""\
define internal ptr @object.values(ptr %o, i64 %first) alwaysinline {{
  %at = getelementptr i8, ptr %o, i64 {places.VALUES_AT}
  %values = load ptr, ptr %at
  ret ptr %values
}}""",
    (3, 12): f"""\
define internal ptr @object.values(ptr %o, i64 %first) alwaysinline {{
  %at = getelementptr i8, ptr %o, i64 {places.DICT_AT}
  %word = load i64, ptr %at
  %tag = and i64 %word, 1
  %is.dict = icmp eq i64 %tag, 0
  %address = add i64 %word, 1
  %values = inttoptr i64 %address to ptr
  %found = select i1 %is.dict, ptr null, ptr %values
  ret ptr %found
}}""",
    (3, 13): f"""\
define internal ptr @object.values(ptr %o, i64 %first) alwaysinline {{
  %values = getelementptr i8, ptr %o, i64 %first
  %valid.at = getelementptr i8, ptr %values, i64 {places.VALID - places.HEAD}
  %valid = load i8, ptr %valid.at
  %none = icmp eq i8 %valid, 0
  %found = select i1 %none, ptr null, ptr %values
  ret ptr %found
}}""",
}
_ALWAYS = """\
define internal i1 @object.has.dict(ptr %o) alwaysinline {
  ret i1 false
}"""
#: a dict may show the values of the object, and has to learn of what is stored
_MAY_REPLACE = {
    (3, 11): _ALWAYS,
    (3, 12): _ALWAYS,
    (3, 13): f"""\
define internal i1 @object.has.dict(ptr %o) alwaysinline {{
  %at = getelementptr i8, ptr %o, i64 {places.DICT_AT}
  %dict = load ptr, ptr %at
  %some = icmp ne ptr %dict, null
  ret i1 %some
}}""",
}
_ADD_BEFORE = """\
define internal void @object.add(ptr %o, i64 %first, i64 %index, ptr %new) alwaysinline {
  %values = call ptr @object.values(ptr %o, i64 %first)
  %cell = getelementptr ptr, ptr %values, i64 %index
  store ptr %new, ptr %cell
  %count.at = getelementptr i8, ptr %values, i64 -2
  %count = load i8, ptr %count.at
  %more = add i8 %count, 1
  store i8 %more, ptr %count.at
  %count.64 = zext i8 %count to i64
  %place = sub i64 -3, %count.64
  %place.at = getelementptr i8, ptr %values, i64 %place
  %index.8 = trunc i64 %index to i8
  store i8 %index.8, ptr %place.at
  ret void
}"""
#: a value of a new object, whose values are noted in the order in which they are set
_ADD = {
    (3, 11): _ADD_BEFORE,
    (3, 12): _ADD_BEFORE,
    (3, 13): f"""\
define internal void @object.add(ptr %o, i64 %first, i64 %index, ptr %new) alwaysinline {{
  %values = getelementptr i8, ptr %o, i64 %first
  %cell = getelementptr ptr, ptr %values, i64 %index
  store ptr %new, ptr %cell
  %room.at = getelementptr i8, ptr %values, i64 {places.CAPACITY - places.HEAD}
  %room = load i8, ptr %room.at
  %room.64 = zext i8 %room to i64
  %order = getelementptr ptr, ptr %values, i64 %room.64
  %count.at = getelementptr i8, ptr %values, i64 {places.COUNT - places.HEAD}
  %count = load i8, ptr %count.at
  %more = add i8 %count, 1
  store i8 %more, ptr %count.at
  %count.64 = zext i8 %count to i64
  %place.at = getelementptr i8, ptr %order, i64 %count.64
  %index.8 = trunc i64 %index to i8
  store i8 %index.8, ptr %place.at
  ret void
}}""",
}
_FUNCTIONS = f"""\
define internal ptr @dict.attribute(ptr %o, ptr %name, i64 %hash) noinline {{
  %at = getelementptr i8, ptr %o, i64 {places.DICT_AT}
  %dict = load ptr, ptr %at
  %none = icmp eq ptr %dict, null
  br i1 %none, label %missing, label %look
look:
  %found = call ptr @_PyDict_GetItem_KnownHash(ptr %dict, ptr %name, i64 %hash)
  %failed = icmp eq ptr %found, null
  br i1 %failed, label %clear, label %done
clear:
  call void @PyErr_Clear()
  br label %missing
missing:
  ret ptr null
done:
  ret ptr %found
}}
define internal ptr @object.attribute(ptr %o, i64 %first, i64 %index, ptr %name, i64 %hash) alwaysinline {{
  %values = call ptr @object.values(ptr %o, i64 %first)
  %in.dict = icmp eq ptr %values, null
  br i1 %in.dict, label %dict, label %beside, !prof !1
dict:
  %found = call ptr @dict.attribute(ptr %o, ptr %name, i64 %hash)
  ret ptr %found
beside:
  %cell = getelementptr ptr, ptr %values, i64 %index
  %value = load ptr, ptr %cell
  ret ptr %value
}}
define internal ptr @object.cell(ptr %o, i64 %first, i64 %index) alwaysinline {{
  %values = call ptr @object.values(ptr %o, i64 %first)
  %none = icmp eq ptr %values, null
  %dict = call i1 @object.has.dict(ptr %o)
  %other = or i1 %none, %dict
  %cell = getelementptr ptr, ptr %values, i64 %index
  %found = select i1 %other, ptr null, ptr %cell
  ret ptr %found
}}
define internal i32 @object.store(ptr %o, i64 %first, i64 %index, ptr %name, ptr %new) {{
  %cell = call ptr @object.cell(ptr %o, i64 %first, i64 %index)
  %none = icmp eq ptr %cell, null
  br i1 %none, label %python, label %look, !prof !1
look:
  %old = load ptr, ptr %cell
  %unset = icmp eq ptr %old, null
  br i1 %unset, label %python, label %replace, !prof !1
replace:
  store ptr %new, ptr %cell
  call void @object.decref(ptr %old)
  ret i32 0
python:
  %status = call i32 @PyObject_GenericSetAttr(ptr %o, ptr %name, ptr %new)
  call void @object.decref(ptr %new)
  ret i32 %status
}}"""
#: a float that nobody else refers to gets the new value
_REPLACE_FLOAT = f"""\
define internal i1 @float.replace(ptr %cell, double %new) alwaysinline {{
  %none = icmp eq ptr %cell, null
  br i1 %none, label %no, label %look
look:
  %old = load ptr, ptr %cell
  %unset = icmp eq ptr %old, null
  br i1 %unset, label %no, label %some
some:
  %count = load i32, ptr %old
  %alone = icmp eq i32 %count, 1
  %class.at = getelementptr i8, ptr %old, i64 {CLASS}
  %class = load ptr, ptr %class.at
  %is.float = icmp eq ptr %class, @type.float
  %own = and i1 %alone, %is.float
  br i1 %own, label %yes, label %no
yes:
  %value.at = getelementptr i8, ptr %old, i64 {VALUE}
  store double %new, ptr %value.at
  ret i1 true
no:
  ret i1 false
}}"""
