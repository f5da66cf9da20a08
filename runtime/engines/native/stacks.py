"""Stacks in machine code: numbers and copies of arrays go to memory at a count that stands in the
header of a `Words`, references to a list.

What a stack of words has no room for is left to the kernel, which makes room. Where no function gets the
stack, the place of the next word and the end of the memory are in registers; the header is set for the
kernel only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from autograph.records import record
from runtime.engines.native.arrays import new_array
from runtime.engines.native.elements import load, store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FALSE, NULL, TRUE, V, counted_loop, i32, i64
from runtime.engines.native.loops import Control, Program, Single
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import (
    DATA,
    ArrayRef,
    Boxed,
    Register,
    Rep,
    array_ref,
    in_register,
    product,
)
from runtime.graph import Operation, Value
from runtime.ops.stacks import ADDRESS, CAPACITY, COUNT, FIRST_CAPACITY, HEADER, WORD, Words, words_of
from runtime.types import STACK, ArrayType, lengths


@record
class Local(Boxed):
    """A stack of words whose top, and the end of whose memory, are in variables of the function."""

    top: V
    limit: V


def handed_on(program: Program) -> set[Value]:
    """The stacks that are used by more than pushes and pops in machine code."""
    found: set[Value] = set()
    for statement in program.statements():
        if isinstance(statement, Control):
            found.update(statement.operation.inputs)
            for body in statement.bodies:
                found.update(body.results)
        elif isinstance(statement, Single) and statement.how != "stack":
            found.update(statement.operation.inputs)
    for body in (program.body, *program.functions.values()):
        found.update(body.results)
    return {value for value in found if value.type == STACK}


def runs_in_machine_code(op: Operation) -> bool:
    moves_objects = bool(op.inputs) and not any(in_register(v.type) for v in _values(op))
    return bool(op.attributes["words"]) or moves_objects


def emit(code: Codegen, op: Operation) -> None:
    _EMIT[op.name][0 if op.attributes["words"] else 1](code, op)


def _values(op: Operation) -> tuple[Value, ...]:
    """What is pushed, or popped."""
    return op.outputs or op.inputs[1:]


def _size(values: Sequence[Value]) -> int:
    """How many words they take together."""
    return sum(words_of(value.type) or 0 for value in values)


def pointer_of(code: Codegen, op: Operation) -> V:
    return code.pointer_of(op.inputs[0])


def field_of(code: Codegen, header: V, place: int) -> V:
    return code.f.offset(header, i64(place), "i64")


def _new_words(code: Codegen, op: Operation) -> None:
    """As `Words.__new__`, whose steps in Python take longer than a short program."""
    f, size = code.f, HEADER + FIRST_CAPACITY
    made = partial(np.ndarray.__new__, Words, size, np.int64)
    (rep,) = code.call_python(made, [], {}, [STACK], op.location)
    assert isinstance(rep, Boxed)
    header = f.load("ptr", f.offset(rep.pointer, i64(DATA)))
    first, limit = field_of(code, header, HEADER), field_of(code, header, size)
    f.store(first, field_of(code, header, ADDRESS))
    f.store(i64(0), field_of(code, header, COUNT))
    f.store(i64(FIRST_CAPACITY), field_of(code, header, CAPACITY))
    if op.output not in code.handed_stacks:
        rep = Local(rep.pointer, f.alloca("ptr"), f.alloca("ptr"))
        f.store(first, rep.top)
        f.store(limit, rep.limit)
    code.bind(op.output, rep)


def _push_words(code: Codegen, op: Operation) -> None:
    f, values, rep = code.f, _values(op), code.reps[op.inputs[0]]
    slow = SlowPath(code, op)
    if isinstance(rep, Local):
        top = f.load("ptr", rep.top)
        end = f.offset(top, i64(WORD * _size(values)))
        slow.jump_if(f.compare("icmp ugt", end, f.load("ptr", rep.limit)))
        _store_words(code, values, top)
        f.store(end, rep.top)
        slow.finish([], partial(_to_header, code, rep), partial(_from_header, code, rep))
        return
    header = f.load("ptr", f.offset(pointer_of(code, op), i64(DATA)))
    count = f.load("i64", field_of(code, header, COUNT))
    end = f.binary("add", count, i64(_size(values)))
    slow.jump_if(f.compare("icmp sgt", end, f.load("i64", field_of(code, header, CAPACITY))))
    _store_words(code, values, f.offset(f.load("ptr", field_of(code, header, ADDRESS)), count, "i64"))
    f.store(end, field_of(code, header, COUNT))
    slow.finish([])


def _store_words(code: Codegen, values: tuple[Value, ...], top: V) -> None:
    for k, value in enumerate(values):
        place = code.f.offset(top, i64(WORD * _size(values[:k])))
        if isinstance(value.type, ArrayType):
            _copy(code, code.array_of(value), place)
        else:
            store(code.f, code.element_of(value), place)


def _copy(code: Codegen, array: ArrayRef, target: V) -> None:
    """The items of an array, side by side."""
    f, dtype, shape = code.f, array.type.dtype, lengths(array.type.shape)

    def along(axis: int, source: V, target: V, size: int) -> None:
        if axis == len(shape):
            store(f, load(f, dtype, source), target)
            return
        size //= shape[axis]

        def part(i: V) -> None:
            from_here = f.offset(source, product(f, i, array.strides[axis]))
            along(axis + 1, from_here, f.offset(target, product(f, i, i64(size))), size)

        counted_loop(f, i64(0), i64(shape[axis]), i64(1), part)

    size = math.prod(shape) * dtype.itemsize
    if not size:
        return
    if array.contiguous:
        _move(code, array.data, target, size)
    else:
        along(0, array.data, target, size)


def _move(code: Codegen, source: V, target: V, size: int) -> None:
    code.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    code.f.call("void", "llvm.memcpy.p0.p0.i64", (target, source, i64(size), FALSE))


def _to_header(code: Codegen, rep: Local) -> None:
    """The kernel is called, which asks the header."""
    f = code.f
    header = f.load("ptr", f.offset(rep.pointer, i64(DATA)))
    address, top = (f.load("i64", place) for place in (field_of(code, header, ADDRESS), rep.top))
    count = f.binary("sdiv exact", f.binary("sub", top, address), i64(WORD))
    f.store(count, field_of(code, header, COUNT))


def _from_header(code: Codegen, rep: Local, results: list[Rep]) -> None:
    f = code.f
    header = f.load("ptr", f.offset(rep.pointer, i64(DATA)))
    address = f.load("ptr", field_of(code, header, ADDRESS))
    for place, variable in ((COUNT, rep.top), (CAPACITY, rep.limit)):
        f.store(f.offset(address, f.load("i64", field_of(code, header, place)), "i64"), variable)


def _pop_words(code: Codegen, op: Operation) -> None:
    f, rep = code.f, code.reps[op.inputs[0]]
    if isinstance(rep, Local):
        top = f.offset(f.load("ptr", rep.top), i64(-WORD * _size(op.outputs)))
        f.store(top, rep.top)
    else:
        header = f.load("ptr", f.offset(pointer_of(code, op), i64(DATA)))
        count = f.binary("sub", f.load("i64", field_of(code, header, COUNT)), i64(_size(op.outputs)))
        f.store(count, field_of(code, header, COUNT))
        top = f.offset(f.load("ptr", field_of(code, header, ADDRESS)), count, "i64")
    for k, output in enumerate(op.outputs):
        place, type = f.offset(top, i64(WORD * _size(op.outputs[:k]))), output.type
        if isinstance(type, ArrayType):
            shape = lengths(type.shape)
            array = new_array(code, type, [i64(n) for n in shape], op.location)
            _move(code, place, array.data, math.prod(shape) * type.dtype.itemsize)
            code.bind(output, array)
        else:
            code.reps[output] = Register(load(f, output.dtype, place))


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
        rep: Rep = Boxed(item)
        if isinstance(output.type, ArrayType):
            rep = array_ref(f, output.type, item, TRUE if op.attributes.get("writable") else None)
        code.bind(output, rep)
    status = f.call("i32", "PyList_SetSlice", (stack, first, length, NULL))
    code.fail_if(f.compare("icmp ne", status, i32(0)), op.location)


_EMIT = {
    "stack.new": (_new_words,),
    "stack.push": (_push_words, _push_objects),
    "stack.pop": (_pop_words, _pop_objects),
}
