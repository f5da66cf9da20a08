"""Attributes of the user's objects in machine code: reading, storing, and making objects.

A value that stands where `attribute_places.py` says is read and replaced there. One that a store adds, or
that a ``__dict__`` holds by now, goes by Python's C API; an attribute that is not there, and an object of
another kind than the trace knew, are the kernel's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from runtime.engines.native.elements import BOOL, Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, TRUE, V, i32, i64
from runtime.engines.native.objects.attribute_access import (
    attribute,
    declare,
    declare_outside_store,
    declare_store,
)
from runtime.engines.native.objects.boxes import can_read, decref, is_of_class, own, read
from runtime.engines.native.objects.building import build, can_build, structures_of
from runtime.engines.native.objects.layouts import layout
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register
from runtime.graph import Operation
from runtime.graph.rewrite import constant_of
from runtime.ops.attribute_places import Beside, Keyed, Member, Place, can_be_made, place_of
from runtime.ops.effects import set_attribute
from runtime.ops.instances import real_class
from runtime.ops.template import Hole, Make
from runtime.types import FLOAT, INT, InstanceType, ObjectType


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on an object whose attributes have a place?"""
    return layout() is not None and _FORMS[op.name][0](op)


def _are_objects(op: Operation) -> bool:
    return all(isinstance(value.type, ObjectType) for value in op.inputs)


def _can_get(op: Operation) -> bool:
    return _place(op) is not None and can_read(op.attributes["reader"].pattern)


def _can_set(op: Operation) -> bool:
    return _place(op) is not None and can_build(_arguments(op)[2])


def _can_make(op: Operation) -> bool:
    cls, held = op.attributes["cls"], op.attributes["template"].structure
    return (
        real_class(cls) is cls
        and can_be_made(cls)
        and all(
            place_of(cls, sys.intern(name)) is not None and can_build(part) for name, part in held.items()
        )
    )


def takes_out(op: Operation) -> str:
    """As of the operations in lists.py."""
    _, _, takes = _FORMS[op.name]
    return takes if takes == "none" or "template" not in op.attributes else "any"


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    _, emit, _ = _FORMS[op.name]
    emit(code, op)


def _arguments(op: Operation) -> tuple[Any, ...]:
    """What the operation is given, built of its inputs."""
    if "name" in op.attributes:  # outside
        new = op.attributes["template"].structure  # which counts the values behind the object
        is_plain = type(new) not in (tuple, list) and not isinstance(new, Make)
        new = Hole(new.index + 1) if isinstance(new, Hole) else new if is_plain else Make(tuple)
        return Hole(0), op.attributes["name"], new
    return structures_of(op)


def _name(op: Operation) -> str | None:
    """The name of the attribute, where the first argument is the object."""
    target, name, *_ = _arguments(op)
    if isinstance(name, Hole):
        constant = constant_of(op.inputs[name.index])
        name = None if constant is None else constant.attributes["value"]
    return sys.intern(name) if target == Hole(0) and type(name) is str else None


def _place(op: Operation) -> Place | None:
    kind, name = op.inputs[0].type, _name(op)
    cls = kind.cls if isinstance(kind, InstanceType) else op.attributes.get("cls")
    return place_of(real_class(cls), name) if cls is not None and name is not None else None


def _pointer(code: Codegen, op: Operation, position: int = 0) -> V:
    return code.pointer_of(op.inputs[position])


def _is(code: Codegen, op: Operation) -> None:
    same = code.f.compare("icmp eq", _pointer(code, op), _pointer(code, op, 1))
    code.reps[op.output] = Register(Element(same, BOOL))


# -- reading -------------------------------------------------------------------------------------------


def _get(code: Codegen, op: Operation) -> None:
    f, place, name = code.f, _place(op), _name(op)
    slow = SlowPath(code, op)
    assert place is not None and name is not None
    item = attribute(code, _pointer(code, op), place, name)
    slow.jump_if(f.compare("icmp eq", item, NULL))
    found = read(code, op.attributes["reader"].pattern, item, slow.jump_if)
    own(code, found)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


# -- storing -------------------------------------------------------------------------------------------


def _set_outside(code: Codegen, op: Operation) -> None:
    """An object from outside, whose class the trace knew."""
    place, new = _place(op), _arguments(op)[2]
    if isinstance(new, Hole) and op.inputs[new.index].type in (FLOAT, INT) and not isinstance(place, Keyed):
        return _set_number_outside(code, op)
    slow = SlowPath(code, op)
    is_other = code.f.binary("xor", is_of_class(code, _pointer(code, op), op.attributes["cls"]), TRUE)
    slow.jump_if(is_other)
    _set(code, op)
    slow.finish([])
    return None


def _set_number_outside(code: Codegen, op: Operation) -> None:
    """One call, which also looks at the class: a loop over five objects may store a hundred numbers."""
    place, name, value = _place(op), _name(op), op.inputs[_arguments(op)[2].index]
    ending = declare_outside_store(code, value.type)
    assert isinstance(place, Member | Beside) and name is not None
    is_slot = isinstance(place, Member)
    where = (place.offset,) if isinstance(place, Member) else (place.first, place.index)
    known = (op.attributes["cls"], "class"), (name, "name"), (set_attribute, "set_attribute")
    objects = [code.object(*one) for one in known]
    given = (_pointer(code, op), *map(i64, where), code.element_of(value).value, *objects)
    function = f"outside.{'slot' if is_slot else 'object'}.store.{ending}"
    code.fail_if(code.f.compare("icmp ne", code.f.call("i32", function, given), i32(0)), op.location)


def _set(code: Codegen, op: Operation) -> None:
    """What was there goes last: its end may run any code."""
    f, place, name, new = code.f, _place(op), _name(op), _arguments(op)[2]
    assert place is not None and name is not None
    target = _pointer(code, op)
    if isinstance(new, Hole) and op.inputs[new.index].type in (FLOAT, INT) and not isinstance(place, Keyed):
        return _set_number(code, op, place, name)
    value = build(code, new, op)
    if isinstance(place, Keyed):
        return _set_by_name(code, op, target, name, code.hold(value))
    if isinstance(place, Member):
        at = f.offset(target, i64(place.offset))
        old = f.load("ptr", at)
        f.store(value, at)
        return decref(code, old)
    declare(code)
    given = (target, i64(place.first), i64(place.index), code.object(name, "name"), value)
    status = f.call("i32", "object.store", given)
    return code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)


def _set_number(code: Codegen, op: Operation, place: Member | Beside, name: str) -> None:
    """A float or an int goes into the object that is there, where nobody else has that."""
    f, value = code.f, op.inputs[_arguments(op)[2].index]
    target, new, ending = _pointer(code, op), code.element_of(value).value, declare_store(code, value.type)
    if isinstance(place, Member):
        status = f.call("i32", f"slot.store.{ending}", (f.offset(target, i64(place.offset)), new))
    else:
        given = (target, i64(place.first), i64(place.index), code.object(name, "name"), new)
        status = f.call("i32", f"object.store.{ending}", given)
    code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)


def _set_by_name(code: Codegen, op: Operation, target: V, name: str, slot: int) -> None:
    """A store by Python. ``slot`` holds the new value, and is released."""
    f = code.f
    declare(code)
    given = (target, code.object(name, "name"), f.load("ptr", code.slot_at(slot)))
    status = f.call("i32", "PyObject_GenericSetAttr", given)
    code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)
    code.release(slot)


# -- making --------------------------------------------------------------------------------------------


def _make(code: Codegen, op: Operation) -> None:
    """All attributes first; then the object, in whose places there is nothing yet."""
    f, cls = code.f, op.attributes["cls"]
    held = {sys.intern(name): part for name, part in op.attributes["template"].structure.items()}
    slots = {name: code.hold(build(code, part, op)) for name, part in held.items()}
    places = {name: place_of(cls, name) for name in held}
    has_dict = any(isinstance(place, Keyed) for place in places.values())
    code.declare("declare ptr @object.new(ptr, ptr, ptr)")
    made = f.call("ptr", "object.new", (code.object(cls, "class"), code.object((), "nothing"), NULL))
    code.fail_if(f.compare("icmp eq", made, NULL), op.location)
    code.bind(op.output, Boxed(made))
    for name, slot in slots.items():
        place = places[name]
        if isinstance(place, Member):
            f.store(code.slot_take(slot), f.offset(made, i64(place.offset)))
        elif has_dict or not isinstance(place, Beside):
            _set_by_name(code, op, made, name, slot)
        else:
            declare(code)
            f.call("void", "object.add", (made, i64(place.first), i64(place.index), code.slot_take(slot)))


#: whether it can be written, how, and what it takes out
_FORMS: dict[str, tuple[Callable[[Operation], bool], Callable[[Codegen, Operation], None], str]] = {
    "object.getattr": (_can_get, _get, "none"),
    "object.setattr": (_can_set, _set, "last"),
    "store_attr": (_can_set, _set_outside, "any"),
    "object.make": (_can_make, _make, "any"),
    "is": (_are_objects, _is, "none"),
}
