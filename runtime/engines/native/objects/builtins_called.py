"""Operations on containers that are one call of a function of Python's own: `list.insert`, `sorted`.

The function is called from machine code, with no function of ours around it, and what it gives is taken apart
in machine code. A result of another kind than the trace knew goes to the reader, which complains.
"""

from __future__ import annotations

from typing import Any

from runtime.engines.native.calls import Calls
from runtime.engines.native.ir import NULL, V, i64
from runtime.engines.native.objects.boxes import can_read, own, read
from runtime.engines.native.objects.building import build_part, can_build, structures_of
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, in_register
from runtime.graph import Operation
from runtime.ops.containers import Builtin, builtin_of
from runtime.ops.item_patterns import Pattern, Typed, class_of
from runtime.ops.template import Hole
from runtime.types import OBJECT

#: said of a call whose arguments have a free place before them
_OFFSET = -(2**63)


def runs_in_machine_code(op: Operation) -> bool:
    if op.makes_container or _function(op) is None or not all(map(can_build, structures_of(op))):
        return False
    pattern = _pattern(op)
    return pattern is None or can_read(pattern)


def _function(op: Operation) -> Builtin | None:
    args = structures_of(op)
    if type(args) is not tuple or args[:1] != (Hole(0),):
        return None
    return builtin_of(op.name, tuple([value.type for value in op.inputs]), len(args))


def _pattern(op: Operation) -> Pattern | None:
    """What the result may be that is taken apart; None where it is nothing, or an object."""
    reader = op.attributes.get("reader")
    if reader is not None:
        return reader.pattern
    if not op.outputs or not in_register(op.output.type):
        return None
    return Typed(op.output.type, class_of(op.output.type))


def emit(code: Calls, op: Operation) -> None:
    result = _call(code, op)
    pattern = _pattern(op)
    if pattern is None and op.outputs:
        return code.bind(op.output, Boxed(code.checked(result, op.output.type, op.location)))
    slot = code.hold(result)
    if pattern is not None:
        _take_apart(code, op, pattern, result)
    return code.release(slot)


def _take_apart(code: Calls, op: Operation, pattern: Pattern, result: V) -> None:
    reader = op.attributes.get("reader")
    types = [value.type for value in op.outputs]
    otherwise = _itself if reader is None else reader.read
    slow = SlowPath(
        code, op, lambda: code.call_python(otherwise, [(Boxed(result), OBJECT)], {}, types, op.location)
    )
    found = read(code, pattern, result, slow.jump_if)
    own(code, found)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


def _itself(result: Any) -> Any:
    return result


def _call(code: Calls, op: Operation) -> V:
    """The result, a new reference."""
    f, found = code.f, _function(op)
    assert found is not None
    function, keywords = found
    objects: list[V] = []
    temporary: list[int] = []
    for structure in structures_of(op):
        pointer, owned = build_part(code, structure, op)
        objects.append(pointer)
        if owned:
            temporary.append(code.hold(pointer))
    for place, pointer in enumerate(objects, 1):
        f.store(pointer, code.cell(place))
    code.declare("declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)")
    count = i64(len(objects) - len(keywords) + _OFFSET)
    names = code.object(keywords, "names") if keywords else NULL
    callee = code.object(function, f"function.{getattr(function, '__name__', '')}")
    result = f.call("ptr", "PyObject_Vectorcall", (callee, code.cell(1), count, names))
    for slot in temporary:
        code.release(slot)
    code.fail_if(f.compare("icmp eq", result, NULL), op.location)
    return result
