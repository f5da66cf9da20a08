"""Texts in machine code: comparing, length, letters, slices, joining; and the methods, which are called.

A text of the graph is a str, exactly: Python's C API is asked without a look at classes. What raises does so
in the functions of that API, with Python's words; a slice with a step is left to the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.engines.native.calls import arguments_of
from runtime.engines.native.elements import BOOL, Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, i32, i64
from runtime.engines.native.objects.boxes import are_equal_texts, load
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register
from runtime.graph import Operation, Value
from runtime.ops.item_patterns import class_of
from runtime.ops.strings import FUNCTIONS
from runtime.ops.template import Hole
from runtime.types import BOOL as PY_BOOL
from runtime.types import FLOAT, INT, STR

#: the bit that tells a vectorcall that it may use the place before the arguments
_OFFSET = -(1 << 63)

_ORDERS = {"str.lt": "slt", "str.le": "sle", "str.gt": "sgt", "str.ge": "sge"}


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below?"""
    emit, arguments = _EMIT.get(op.name, _call), arguments_of(op)
    if emit is _part and _bounds(op) is not None:
        return True
    if arguments is None:
        return False
    types = [value.type if isinstance(value, Value) else type(value) for value in arguments]
    if emit is _part:
        return types in ([STR, INT], [str, INT])
    if emit is _call:
        return op.output.type in (STR, PY_BOOL, INT, FLOAT)
    return all(kind in (STR, str) for kind in types)


def emit(code: Codegen, op: Operation, last_use: tuple[Value, ...]) -> None:
    """Write one of these operations. ``last_use``: operands that nobody uses afterwards."""
    emit = _EMIT.get(op.name, _call)
    emit(code, op, last_use) if emit is _add else emit(code, op)


def _text(code: Codegen, item: Any) -> V:
    if not isinstance(item, Value):
        return code.object(item, "constant")
    return code.pointer_of(item)


def _answer(code: Codegen, op: Operation, condition: V) -> None:
    code.reps[op.output] = Register(Element(condition, BOOL))


def _made(code: Codegen, op: Operation, pointer: V) -> None:
    """A new text, or NULL with an exception set."""
    code.fail_if(code.f.compare("icmp eq", pointer, NULL), op.location)
    code.bind(op.output, Boxed(pointer))


# -- comparing -----------------------------------------------------------------------------------------


def _equal(code: Codegen, op: Operation) -> None:
    a, b = (_text(code, value) for value in op.inputs)
    _answer(code, op, are_equal_texts(code, a, b))


def _order(code: Codegen, op: Operation) -> None:
    code.declare("declare i32 @PyUnicode_Compare(ptr, ptr)")
    a, b = (_text(code, value) for value in op.inputs)
    found = code.f.call("i32", "PyUnicode_Compare", (a, b))
    _answer(code, op, code.f.compare(f"icmp {_ORDERS[op.name]}", found, i32(0)))


def _contains(code: Codegen, op: Operation) -> None:
    f = code.f
    code.declare("declare i32 @PyUnicode_Contains(ptr, ptr)")
    arguments = arguments_of(op)
    assert arguments is not None
    found = f.call("i32", "PyUnicode_Contains", [_text(code, item) for item in arguments])
    code.fail_if(f.compare("icmp slt", found, i32(0)), op.location)
    _answer(code, op, f.compare("icmp ne", found, i32(0)))


# -- parts ---------------------------------------------------------------------------------------------


def _length(code: Codegen, op: Operation) -> None:
    code.reps[op.output] = Register(Element(_size(code, _text(code, op.inputs[0])), INT.dtype))


def _size(code: Codegen, text: V) -> V:
    code.declare("declare i64 @PyUnicode_GetLength(ptr)")
    return code.f.call("i64", "PyUnicode_GetLength", (text,))


def _bounds(op: Operation) -> tuple[Any, Any] | None:
    """The bounds of a slice without a step: values of the graph, ints or None; None where it is no such."""
    template = op.attributes.get("template")
    if template is None or type(template.structure) is not tuple or len(template.structure) != 2:
        return None
    text, key = template.structure
    is_text = op.inputs[text.index].type == STR if isinstance(text, Hole) else type(text) is str
    if not (is_text and type(key) is slice and key.step is None):
        return None
    found = [op.inputs[part.index] if isinstance(part, Hole) else part for part in (key.start, key.stop)]
    if any(part.type != INT if isinstance(part, Value) else type(part) not in _ENDS for part in found):
        return None
    return found[0], found[1]


_ENDS = (int, type(None))


def _part(code: Codegen, op: Operation) -> None:
    """``text[i]``, or ``text[i:j]``."""
    bounds = _bounds(op)
    if bounds is not None:
        return _slice(code, op, bounds)
    code.declare("declare ptr @PySequence_GetItem(ptr, i64)")
    text, index = arguments_of(op) or ()
    place = code.element_of(index).value
    return _made(code, op, code.f.call("ptr", "PySequence_GetItem", (_text(code, text), place)))


def _slice(code: Codegen, op: Operation, bounds: tuple[Any, Any]) -> None:
    code.declare("declare ptr @PyUnicode_Substring(ptr, i64, i64)")
    structure = op.attributes["template"].structure
    text = _text(code, op.inputs[structure[0].index] if isinstance(structure[0], Hole) else structure[0])
    size = _size(code, text)
    first, end = (_from_start(code, bound, size, k) for k, bound in enumerate(bounds))
    _made(code, op, code.f.call("ptr", "PyUnicode_Substring", (text, first, end)))


def _from_start(code: Codegen, bound: Any, size: V, end: int) -> V:
    """A bound of a slice, at least 0."""
    f = code.f
    if bound is None:
        return size if end else i64(0)
    place = code.element_of(bound).value if isinstance(bound, Value) else i64(bound)
    from_end = f.binary("add", place, size)
    inside = f.select(f.compare("icmp slt", from_end, i64(0)), i64(0), from_end)
    return f.select(f.compare("icmp slt", place, i64(0)), inside, place)


# -- making --------------------------------------------------------------------------------------------


def _add(code: Codegen, op: Operation, last_use: tuple[Value, ...]) -> None:
    """Where nobody else has the left text, it grows in place, as in Python: else a loop that appends letters
    would copy all of it each time."""
    f, (a, b) = code.f, op.inputs
    if a not in last_use or a not in code.slots or a is b:
        code.declare("declare ptr @PyUnicode_Concat(ptr, ptr)")
        return _made(code, op, f.call("ptr", "PyUnicode_Concat", (_text(code, a), _text(code, b))))
    code.declare("declare void @PyUnicode_Append(ptr, ptr)")
    slot = code.slots[a]
    f.call("void", "PyUnicode_Append", (code.slot_at(slot), _text(code, b)))
    return _made(code, op, code.slot_take(slot))


def _call(code: Codegen, op: Operation) -> None:
    """``text.upper()``, ``int(text)``, ``ord(text)``: the function of Python's own is called."""
    f, given = code.f, arguments_of(op)
    assert given is not None
    slots: list[int] = []
    for place, item in enumerate(given, 1):
        pointer, owned = _object(code, item, op)
        if owned:
            slots.append(code.hold(pointer))
        f.store(pointer, code.cell(place))
    code.declare("declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)")
    function = code.object(FUNCTIONS[op.name], op.name)
    count = i64(len(given) + _OFFSET)
    found = f.call("ptr", "PyObject_Vectorcall", (function, code.cell(1), count, NULL))
    for slot in slots:
        code.release(slot)
    code.fail_if(f.compare("icmp eq", found, NULL), op.location)
    if op.output.type == STR:
        return code.bind(op.output, Boxed(code.checked(found, STR, op.location)))
    return _number(code, op, found)


def _object(code: Codegen, item: Any, op: Operation) -> tuple[V, bool]:
    if not isinstance(item, Value):
        return code.object(item, "constant"), False
    return code.box(code.reps[item], item.type, op.location)


def _number(code: Codegen, op: Operation, found: V) -> None:
    """A number as the result; an int of more than 64 bits is the kernel's, which raises."""
    slot, slow = code.hold(found), SlowPath(code, op)
    cls = class_of(op.output.type)
    assert cls is not None
    rep = load(code, op.output.type, cls, found, slow.jump_if)
    (code.reps[op.output],) = slow.finish([rep])
    code.release(slot)


_EMIT: dict[str, Callable[..., None]] = {
    "str.eq": _equal,
    **dict.fromkeys(_ORDERS, _order),
    "str.len": _length,
    "str.getitem": _part,
    "str.contains": _contains,
    "str.add": _add,
}
