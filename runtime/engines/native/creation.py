"""``zeros``, ``ones``, ``full``, ``np.array([x, 0.0, y])`` in machine code: small arrays of known shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.engines.native.arrays import new_array
from runtime.engines.native.calls import Calls
from runtime.engines.native.elements import Element, LlvmElements, memory_type, store
from runtime.engines.native.ir import FALSE, V, counted_loop, i64
from runtime.engines.native.items import assigned, loses_value
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import ArrayRef, in_register, is_native_array
from runtime.graph import Operation
from runtime.ops.template import Hole
from runtime.types import ArrayType, lengths

#: of more bytes the system's own zeros cost less
LARGEST = 1 << 12
#: what is in every place
_FILLED: dict[str, Any] = {"zeros": 0, "ones": 1, "full": Hole(0)}
#: so many numbers are written one after the other
MOST_NUMBERS = 32


def runs_in_machine_code(op: Operation) -> bool:
    type = op.output.type
    if not is_native_array(type) or None in type.shape:
        return False
    if "template" not in op.attributes:
        count = isinstance(_FILLED[op.name], Hole)  # of operands, where the shape is known
        is_plain = len(op.inputs) == count and op.attributes.get("order", "C") == "C"
        return is_plain and all(in_register(v.type) for v in op.inputs) and _size(type) <= LARGEST
    if not set(op.attributes) <= {"template", "dtype"} or not all(in_register(v.type) for v in op.inputs):
        return False
    numbers = list(_numbers(op.attributes["template"].structure))
    if not 0 < len(numbers) <= MOST_NUMBERS or len(numbers) != math.prod(lengths(type.shape)):
        return False
    return all(isinstance(number, Hole) or _fits(number, type.dtype) for number in numbers)


def _size(type: ArrayType) -> int:
    return math.prod(lengths(type.shape)) * type.dtype.itemsize


def _numbers(structure: Any) -> Iterator[Any]:
    if type(structure) in (list, tuple):
        for part in structure:
            yield from _numbers(part)
    else:
        yield structure


def _fits(number: Any, dtype: np.dtype) -> bool:
    """Is a number that is written in the program one of this dtype, but for rounding?"""
    if type(number) in (bool, int):
        bounds = np.iinfo(dtype) if dtype.kind in "iu" else None
        return abs(number) < 2**53 if bounds is None else bounds.min <= number <= bounds.max
    return type(number) is float and dtype.kind in "fc" or type(number) is complex and dtype.kind == "c"


def emit(code: Calls, op: Operation) -> None:
    type = op.output.type
    assert isinstance(type, ArrayType)
    everywhere = None if "template" in op.attributes else _FILLED[op.name]
    if everywhere == 0:
        array = _made(code, op, type)
        code.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        code.f.call("void", "llvm.memset.p0.i64", (array.data, V("i8", "0"), i64(_size(type)), FALSE))
        return code.bind(op.output, array)
    slow = SlowPath(code, op)
    if everywhere is not None:
        one = _element(code, op, everywhere, type.dtype, slow)
        array = _made(code, op, type)
        put = lambda k: store(code.f, one, code.f.offset(array.data, k, memory_type(type.dtype)))
        counted_loop(code.f, i64(0), i64(_size(type) // type.dtype.itemsize), i64(1), put)
        return code.bind(op.output, *slow.finish([array]))
    elements = [
        _element(code, op, n, type.dtype, slow) for n in _numbers(op.attributes["template"].structure)
    ]
    array = _made(code, op, type)
    for k, element in enumerate(elements):
        store(code.f, element, code.f.offset(array.data, i64(k), memory_type(type.dtype)))
    (found,) = slow.finish([array])
    return code.bind(op.output, found)


def _made(code: Calls, op: Operation, type: ArrayType) -> ArrayRef:
    return new_array(code, type, [i64(n) for n in type.shape if n is not None], op.location)


def _element(code: Calls, op: Operation, number: Any, dtype: np.dtype, slow: SlowPath) -> Element:
    if not isinstance(number, Hole):
        return LlvmElements(code.f, code.declare, {}, dtype).constant(number, dtype)
    element = code.element_of(op.inputs[number.index])
    unfit = loses_value(code.f, element, dtype)
    if unfit is not None:
        slow.jump_if(unfit)
    return assigned(code.f, element, dtype)
