"""Items of arrays: one element is a load or a store, a basic slice is address arithmetic.

A slice makes no Python object: it is a new ``ArrayRef`` into the same memory, which becomes an ndarray
only when something outside machine code wants one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from runtime.engines.native.elements import BOOL, Element, convert
from runtime.engines.native.elements import load as load_element
from runtime.engines.native.elements import store as store_element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FALSE, TRUE, FunctionWriter, V, floating, i64
from runtime.engines.native.loops import Nest
from runtime.engines.native.members import is_index, is_simple
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import (
    ArrayRef,
    Register,
    Rep,
    in_register,
    is_literal,
    is_native_array,
    product,
    reference,
)
from runtime.graph import Operation, Value
from runtime.ops.indexing import Dynamic, expand_index
from runtime.types import ArrayType, ScalarType

#: where the condition holds (and raises, if True) the machine code does not apply
Check: TypeAlias = "Callable[[V, bool], None]"


def how_item_runs(op: Operation) -> str:
    """ "load", "store", "view", or "call" where the kernel has to do it."""
    operand = op.inputs[0].type
    dynamic = [v.type for v in op.indices]
    index = op.attributes["index"]
    if not is_native_array(operand) or not all(map(is_index, dynamic)):
        return "call"
    expanded = expand_index(index, operand.ndim, dynamic)
    whole = all(isinstance(item, int | Dynamic) for item in expanded)
    if op.is_store:
        return "store" if whole and in_register(op.inputs[1].type) else "call"
    if isinstance(op.output.type, ScalarType):
        return "load" if whole else "call"
    return "view" if all(is_simple(item) for item in expanded) else "call"


def load(code: Codegen, op: Operation, before: Sequence[Nest] = ()) -> None:
    """``x[i, j]``"""

    slow = SlowPath(code, op, before=before)
    array = code.array_of(op.inputs[0])
    pointer = _address(code, array, op, slow.jump_if)
    found = Register(load_element(code.f, array.type.dtype, pointer))
    (code.reps[op.output],) = slow.finish([found])


def store(code: Codegen, op: Operation, before: Sequence[Nest] = ()) -> None:
    """``x[i, j] = number``"""

    f = code.f
    slow = SlowPath(code, op)
    array, value = code.array_of(op.inputs[0]), code.element_of(op.inputs[1])
    slow.jump_if(f.binary("xor", array.writable, V("i1", "true")))
    pointer = _address(code, array, op, slow.jump_if)
    unfit = loses_value(f, value, array.type.dtype)
    if unfit is not None:
        slow.jump_if(unfit)
    if unfit != TRUE:
        store_element(f, assigned(f, value, array.type.dtype), pointer)
    slow.finish([])


def assigned(f: FunctionWriter, element: Element, dtype: np.dtype) -> Element:
    """A number as an element of an array, where ``loses_value`` has been excluded."""
    if element.dtype.kind in "iu" and dtype == np.dtype("float32"):
        element = convert(f, element, np.dtype("float64"))  # as NumPy does, which rounds twice
    return convert(f, element, dtype)


def loses_value(f: FunctionWriter, x: Element, dtype: np.dtype) -> V | None:
    """Can assignment not just convert? None where it always can; NumPy decides about the rest."""
    source = x.dtype
    if dtype.kind == "c":
        return None
    if source.kind == "c":
        return TRUE  # a warning
    if dtype == BOOL or dtype.kind == "f" or source == dtype or source == BOOL:
        return None
    bits = dtype.itemsize * 8
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "i" else (0, 2**bits - 1)
    if source.kind == "f":
        at_least = f.compare("fcmp oge", x.value, floating(x.value.type, float(low)))
        below = f.compare(
            "fcmp olt", x.value, floating(x.value.type, float(high) if bits == 64 else high + 1.0)
        )
        return f.binary("xor", f.binary("and", at_least, below), V("i1", "true"))
    info = np.iinfo(source)
    tests = []
    if info.min < low:
        tests.append(f.compare("icmp slt", x.value, V(x.value.type, str(low))))
    if info.max > high:
        sign = "s" if source.kind == "i" else "u"
        tests.append(f.compare(f"icmp {sign}gt", x.value, V(x.value.type, str(high))))
    if not tests:
        return None
    return tests[0] if len(tests) == 1 else f.binary("or", *tests)


def view(code: Codegen, op: Operation, before: Sequence[Nest] = ()) -> None:
    """``x[1:, i, None]``: the same memory, seen differently."""
    slow = SlowPath(code, op, before=before)
    array = code.array_of(op.inputs[0])
    assert isinstance(op.output.type, ArrayType)
    found = part_of(code, array, op.attributes["index"], op.inputs[1:], op.output.type, slow.jump_if)
    if code.region is not None:  # nothing goes while several threads run: what is seen needs no reference
        slot = code.new_slot()
        (made,) = slow.finish([found], after=lambda others: _hold(code, others[0], slot))
        return code.lend(op.output, made, slot)
    code.f.call("void", "Py_IncRef", (array.holder,))
    slow.finish([found])
    code.bind(op.output, found)


def _hold(code: Codegen, rep: Rep, slot: int) -> None:
    pointer = reference(rep)
    assert pointer is not None
    code.hold(pointer, slot)


def part_of(
    code: Codegen, array: ArrayRef, index: Any, dynamic: Sequence[Value], type: ArrayType, wrong_if: Check
) -> ArrayRef:
    """The part of an array that a basic index means. The holder is borrowed."""
    f = code.f
    items = expand_index(index, array.type.ndim, [v.type for v in dynamic])
    data, axis = array.data, 0
    dims: list[V] = []
    strides: list[V] = []
    turned = False
    for item in items:
        if item is None:
            dims.append(i64(1))
            strides.append(i64(0))
            turned = False
            continue
        length, stride = array.dims[axis], array.strides[axis]
        if isinstance(item, slice):
            start, count, step = _slice(code, item, length, dynamic)
            dims.append(count)
            strides.append(product(f, stride, i64(step)))
            turned = (step == -1) != (array.turned and axis == array.type.ndim - 1)
        else:
            start = _checked_index(code, item, length, dynamic, wrong_if)
        data = f.offset(data, product(f, stride, start))
        axis += 1
    known = [i64(n) if n is not None else v for n, v in zip(type.shape, dims, strict=True)]
    return ArrayRef(
        type, array.holder, data, tuple(known), tuple(strides), array.writable, FALSE, turned=turned
    )


def _address(code: Codegen, array: ArrayRef, op: Operation, wrong_if: Check) -> V:
    """Of the element that an index of integers means; bounds are checked."""
    f = code.f
    dynamic = op.indices
    items = expand_index(op.attributes["index"], array.type.ndim, [v.type for v in dynamic])
    pointer = array.data
    for item, length, stride in zip(items, array.dims, array.strides, strict=True):
        position = _checked_index(code, item, length, dynamic, wrong_if)
        pointer = f.offset(pointer, product(f, position, stride))
    return pointer


def _checked_index(code: Codegen, item: Any, length: V, dynamic: Any, wrong_if: Check) -> V:
    """An index from the front. Out of bounds is left to the kernel, which raises."""
    f = code.f
    if isinstance(item, int):
        if is_literal(length):
            return i64(item % int(length.ref))
        position = i64(item) if item >= 0 else f.binary("add", length, i64(item))
        wrong_if(f.compare("icmp uge", position, length), True)
        return position
    index = code.element_of(dynamic[item.index])
    position = convert(f, index, np.dtype("int64")).value
    if index.dtype.kind == "i":
        wrapped = f.binary("add", position, length)
        position = f.select(f.compare("icmp slt", position, i64(0)), wrapped, position)
    wrong_if(f.compare("icmp uge", position, length), True)
    return position


def _slice(code: Codegen, item: slice, length: V, dynamic: Any) -> tuple[V, V, int]:
    """First index, number of elements and step of a slice, by Python's rules of clipping."""
    f = code.f
    step = 1 if item.step is None else int(item.step)
    parts = (item.start, item.stop)
    if is_literal(length) and not any(isinstance(part, Dynamic) for part in parts):
        found = range(*item.indices(int(length.ref)))
        return i64(found.start), i64(len(found)), step
    low, high = (i64(0), length) if step > 0 else (i64(-1), f.binary("sub", length, i64(1)))
    defaults = (low, high) if step > 0 else (high, low)
    start, stop = [
        _clip(code, p, length, low, high, d, dynamic) for p, d in zip(parts, defaults, strict=True)
    ]
    distance = f.binary("sub", stop, start) if step > 0 else f.binary("sub", start, stop)
    size = abs(step)
    count = distance if size == 1 else f.binary("sdiv", f.binary("add", distance, i64(size - 1)), i64(size))
    some = f.compare("icmp sgt", distance, i64(0))
    return start, f.select(some, count, i64(0)), step


def _clip(code: Codegen, part: Any, length: V, low: V, high: V, default: V, dynamic: Any) -> V:
    f = code.f
    if part is None:
        return default
    if isinstance(part, Dynamic):
        position = convert(f, code.element_of(dynamic[part.index]), np.dtype("int64")).value
    else:
        position = i64(int(part))
    wrapped = f.binary("add", position, length)
    position = f.select(f.compare("icmp slt", position, i64(0)), wrapped, position)
    position = f.select(f.compare("icmp slt", position, low), low, position)
    return f.select(f.compare("icmp sgt", position, high), high, position)
