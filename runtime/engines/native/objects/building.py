"""What the template of an operation stands for, made in machine code: tuples and lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.engines.native.calls import Calls
from runtime.engines.native.ir import NULL, V, i64
from runtime.engines.native.loops import Program, Single
from runtime.engines.native.objects.boxes import incref
from runtime.engines.native.objects.layouts import LIST_ITEMS, layout
from runtime.engines.native.values import in_register
from runtime.graph import Operation, Value
from runtime.ops.template import Hole, Make, Template

#: a tuple or list of more parts is made by its kernel
_MOST_PARTS = 16


def can_build(structure: Any) -> bool:
    """Does machine code make what a template stands for: tuples, lists and slices of values and constants?"""
    if isinstance(structure, Make) or type(structure) is dict:
        return False
    if type(structure) is slice:
        return all(map(can_build, _parts_of(structure)))
    if type(structure) in (tuple, list):
        return len(structure) <= _MOST_PARTS and all(map(can_build, structure))
    return not isinstance(structure, tuple) or not Template(structure).makes_anew()


def structures_of(op: Operation) -> tuple[Any, ...]:
    """What the operation is given, as structures of its inputs."""
    template = op.attributes.get("template")
    return tuple(map(Hole, range(len(op.inputs)))) if template is None else template.structure


#: the arguments of an operation that become items, or are looked for, as objects
_ITEMS = {
    **dict.fromkeys(("list.append", "list.heappush", "list.contains", "set.add", "dict.getitem"), (1,)),
    **dict.fromkeys(("dict.get", "dict.setitem", "dict.setdefault"), (1, 2)),
    "list.insert": (2,),
}


def put_again(program: Program) -> set[Operation]:
    """The operations that read, from a list, a number or a tuple that becomes an item or a key again."""
    found: set[Operation] = set()
    for statement in program.statements():
        if isinstance(statement, Single) and statement.operation.name in _ITEMS:
            op = statement.operation
            structures = structures_of(op)
            for place in _ITEMS[op.name]:
                if place < len(structures):
                    found.update(_read_from(structures[place], op))
    return found


def _read_from(structure: Any, op: Operation) -> Iterator[Operation]:
    values = values_of(structure, op)
    if values and values[0].owner is not None and values[0].owner.outputs == values:
        if values[0].owner.is_item_of_list and (len(values) > 1 or in_register(values[0].type)):
            yield values[0].owner
    elif type(structure) is tuple:
        for part in structure:
            yield from _read_from(part, op)


def values_of(structure: Any, op: Operation) -> tuple[Value, ...]:
    """A value, or those that are the parts of a tuple; none of anything else."""
    parts = structure if type(structure) is tuple else (structure,)
    return tuple([op.inputs[p.index] for p in parts]) if all(isinstance(p, Hole) for p in parts) else ()


def build_part(code: Calls, structure: Any, op: Operation) -> tuple[V, bool]:
    """What a template makes of the inputs of an operation, and whether the reference is a new one."""
    known = code.object_of(values_of(structure, op), type(structure) is tuple)
    if known is not None:
        return known, False
    if isinstance(structure, Hole):
        value = op.inputs[structure.index]
        return code.box(code.reps[value], value.type, op.location)
    if type(structure) is slice:
        return _build_slice(code, structure, op), True
    if type(structure) not in (tuple, list) or not Template(structure).makes_anew():
        return code.object(structure), False
    return _build_row(code, structure, op), True


def build(code: Calls, structure: Any, op: Operation) -> V:
    """The same: a new reference in any case."""
    pointer, owned = build_part(code, structure, op)
    if not owned:
        incref(code, pointer)
    return pointer


def _parts_of(structure: slice) -> tuple[Any, Any, Any]:
    return structure.start, structure.stop, structure.step


def _build_slice(code: Calls, structure: slice, op: Operation) -> V:
    parts, temporary = [], []
    for part in _parts_of(structure):
        pointer, owned = build_part(code, part, op)
        parts.append(pointer)
        if owned:
            temporary.append(code.hold(pointer))
    code.declare("declare ptr @PySlice_New(ptr, ptr, ptr)")
    made = code.f.call("ptr", "PySlice_New", parts)
    for slot in temporary:
        code.release(slot)
    code.fail_if(code.f.compare("icmp eq", made, NULL), op.location)
    return made


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
