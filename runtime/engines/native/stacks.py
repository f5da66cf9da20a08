"""Stacks in machine code: numbers go to memory at a count that stands in the header of a `Words`,
references to a list.

What a stack of words has no room for is left to the kernel, which makes room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.engines.native.elements import load, store
from runtime.engines.native.ir import NULL, V, i32, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import DATA, Boxed, Register, Rep, array_ref, in_register
from runtime.graph import Operation, Value
from runtime.ops.stacks import ADDRESS, CAPACITY, COUNT, WORD
from runtime.types import ArrayType

if TYPE_CHECKING:
    from runtime.engines.native.codegen import Codegen


def runs_in_machine_code(op: Operation) -> bool:
    return op.name in _EMIT and (_of_words(_values(op)) or not any(in_register(v.type) for v in _values(op)))


def emit(code: Codegen, op: Operation) -> None:
    words = _of_words(_values(op))
    _EMIT[op.name][0 if words else 1](code, op)


def _values(op: Operation) -> tuple[Value, ...]:
    return op.inputs[1:] if op.name == "stack.push" else op.outputs


def _of_words(values: tuple[Value, ...]) -> bool:
    return all(in_register(value.type) for value in values)


def pointer_of(code: Codegen, op: Operation) -> V:
    rep = code.reps[op.inputs[0]]
    assert isinstance(rep, Boxed)
    return rep.pointer


def field_of(code: Codegen, header: V, place: int) -> V:
    return code.f.offset(header, i64(place), "i64")


def _push_words(code: Codegen, op: Operation) -> None:
    f, values = code.f, _values(op)
    header = f.load("ptr", f.offset(pointer_of(code, op), i64(DATA)))
    count = f.load("i64", field_of(code, header, COUNT))
    end = f.binary("add", count, i64(len(values)))
    slow = SlowPath(code, op)
    slow.jump_if(f.compare("icmp sgt", end, f.load("i64", field_of(code, header, CAPACITY))))
    top = f.offset(f.load("ptr", field_of(code, header, ADDRESS)), count, "i64")
    for k, value in enumerate(values):
        rep = code.reps[value]
        assert isinstance(rep, Register)
        store(f, rep.element, f.offset(top, i64(WORD * k)))
    f.store(end, field_of(code, header, COUNT))
    slow.finish([])


def _pop_words(code: Codegen, op: Operation) -> None:
    f = code.f
    header = f.load("ptr", f.offset(pointer_of(code, op), i64(DATA)))
    count = f.binary("sub", f.load("i64", field_of(code, header, COUNT)), i64(len(op.outputs)))
    f.store(count, field_of(code, header, COUNT))
    top = f.offset(f.load("ptr", field_of(code, header, ADDRESS)), count, "i64")
    for k, output in enumerate(op.outputs):
        place = f.offset(top, i64(WORD * k))
        code.reps[output] = Register(load(f, output.type.dtype, place))  # type: ignore[union-attr]


def _push_objects(code: Codegen, op: Operation) -> None:
    f, stack = code.f, pointer_of(code, op)
    code.declare("declare i32 @PyList_Append(ptr, ptr)")
    for value in _values(op):
        pointer, owned = code.box(code.reps[value], value.type, op.location)
        slot = code.hold(pointer) if owned else None
        status = f.call("i32", "PyList_Append", (stack, pointer))
        if slot is not None:
            code.release(slot)
        code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)


def _pop_objects(code: Codegen, op: Operation) -> None:
    f, stack = code.f, pointer_of(code, op)
    code.declare("declare i64 @PyList_Size(ptr)")
    code.declare("declare ptr @PyList_GetItem(ptr, i64)")
    code.declare("declare i32 @PyList_SetSlice(ptr, i64, i64, ptr)")
    length = f.call("i64", "PyList_Size", (stack,))
    first = f.binary("sub", length, i64(len(op.outputs)))
    for k, output in enumerate(op.outputs):
        item = f.call("ptr", "PyList_GetItem", (stack, f.binary("add", first, i64(k))))
        f.call("void", "Py_IncRef", (item,))
        rep: Rep = array_ref(f, output.type, item) if isinstance(output.type, ArrayType) else Boxed(item)
        code.bind(output, rep)
    status = f.call("i32", "PyList_SetSlice", (stack, first, length, NULL))
    code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)


_EMIT = {"stack.push": (_push_words, _push_objects), "stack.pop": (_pop_words, _pop_objects)}
