"""What the template of an operation stands for, made in machine code: tuples and lists."""

from __future__ import annotations

from typing import Any

from runtime.engines.native.boxes import incref
from runtime.engines.native.calls import Calls
from runtime.engines.native.ir import NULL, V, i64
from runtime.engines.native.layouts import LIST_ITEMS, layout
from runtime.graph import Operation
from runtime.ops.template import Hole, Make, Template


def can_build(structure: Any) -> bool:
    """Does machine code make what a template stands for: tuples and lists of values and constants?"""
    if isinstance(structure, Make) or type(structure) in (dict, slice):
        return False
    if type(structure) in (tuple, list):
        return all(map(can_build, structure))
    return not isinstance(structure, tuple) or not Template(structure).makes_anew()


def build(code: Calls, structure: Any, op: Operation) -> V:
    """A new reference to what a template makes of the inputs of an operation."""
    if isinstance(structure, Hole):
        value = op.inputs[structure.index]
        pointer, owned = code.box(code.reps[value], value.type, op.location)
        if not owned:
            incref(code, pointer)
        return pointer
    if type(structure) not in (tuple, list) or not Template(structure).makes_anew():
        pointer = code.object(structure)
        incref(code, pointer)
        return pointer
    return _build_row(code, structure, op)


def _build_row(code: Calls, structure: tuple[Any, ...] | list[Any], op: Operation) -> V:
    """All parts first: nothing else happens between the making of a tuple and its filling."""
    f, is_tuple = code.f, type(structure) is tuple
    slots = [code.hold(build(code, part, op)) for part in structure]
    name = "PyTuple_New" if is_tuple else "PyList_New"
    code.declare(f"declare ptr @{name}(i64)")
    made = f.call("ptr", name, (i64(len(slots)),))
    code.fail_if(f.compare("icmp eq", made, NULL), op.location)
    known = layout()
    if known is None:
        setter = "PyTuple_SetItem" if is_tuple else "PyList_SetItem"
        code.declare(f"declare i32 @{setter}(ptr, i64, ptr)")
        for k, slot in enumerate(slots):
            f.call("i32", setter, (made, i64(k), code.slot_take(slot)))
        return made
    items = (
        f.offset(made, i64(known.tuple_items)) if is_tuple else f.load("ptr", f.offset(made, i64(LIST_ITEMS)))
    )
    for k, slot in enumerate(slots):
        f.store(code.slot_take(slot), f.offset(items, i64(k), "ptr"))
    return made
