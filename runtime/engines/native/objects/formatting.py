"""f-strings, `str` and `format` in machine code: each value is asked by Python's C API, and its text
joined to the others.
"""

from __future__ import annotations

import ctypes
from typing import Any

from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, i64
from runtime.engines.native.objects.building import build, build_part, can_build
from runtime.engines.native.values import Boxed
from runtime.graph import Operation
from runtime.ops.template import Hole
from runtime.types import STR

#: what makes a text of a value, by the letter behind the `!`
_CONVERSIONS = {"s": "PyObject_Str", "r": "PyObject_Repr", "a": "PyObject_ASCII"}
#: makes one text of an array of them
_JOIN = "_PyUnicode_JoinArray"


def runs_in_machine_code(op: Operation) -> bool:
    if not hasattr(ctypes.pythonapi, _JOIN):
        return False
    return all(_is_known(op, part) for part in op.attributes["template"].structure)


def _is_known(op: Operation, part: Any) -> bool:
    """Is it a text, or a value with its conversion and its format?"""
    if _is_text(op, part):
        return True
    if type(part) is not tuple or len(part) != 3:
        return False
    value, conversion, spec = part
    return can_build(value) and (not conversion or conversion in _CONVERSIONS) and _is_text(op, spec or "")


def _is_text(op: Operation, part: Any) -> bool:
    return op.inputs[part.index].type == STR if isinstance(part, Hole) else type(part) is str


def emit(code: Codegen, op: Operation) -> None:
    parts = op.attributes["template"].structure
    slots = [code.hold(_text(code, op, part)) for part in parts if part != ""]
    if len(slots) == 1:
        return code.bind(op.output, Boxed(code.slot_take(slots[0])))
    f = code.f
    items = f.alloca("ptr", max(len(slots), 1))
    for k, slot in enumerate(slots):
        f.store(f.load("ptr", code.slot_at(slot)), f.offset(items, i64(k), "ptr"))
    code.declare(f"declare ptr @{_JOIN}(ptr, ptr, i64)")
    found = f.call("ptr", _JOIN, (code.object("", "constant"), items, i64(len(slots))))
    for slot in slots:
        code.release(slot)
    return code.bind(op.output, Boxed(_checked(code, op, found)))


def _text(code: Codegen, op: Operation, part: Any) -> V:
    """The text of a part: a new reference."""
    if type(part) is not tuple:
        return build(code, part, op)
    value, conversion, spec = part
    pointer, owned = build_part(code, value, op)
    slot = code.hold(pointer) if owned else None
    if conversion:
        found = _called(code, op, _CONVERSIONS[conversion], pointer)
        slot = _instead(code, slot, found)
        pointer = found
    if spec or not conversion:
        spec_text, _ = build_part(code, spec or "", op)
        slot = _instead(code, slot, _called(code, op, "PyObject_Format", pointer, spec_text))
    assert slot is not None
    return code.slot_take(slot)


def _instead(code: Codegen, slot: int | None, found: V) -> int:
    """Hold another object, and give back the one before it."""
    held = code.hold(found)
    if slot is not None:
        code.release(slot)
    return held


def _called(code: Codegen, op: Operation, function: str, *arguments: V) -> V:
    code.declare(f"declare ptr @{function}({', '.join(['ptr'] * len(arguments))})")
    return _checked(code, op, code.f.call("ptr", function, arguments))


def _checked(code: Codegen, op: Operation, found: V) -> V:
    code.fail_if(code.f.compare("icmp eq", found, NULL), op.location)
    return found
