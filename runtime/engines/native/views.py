"""Arrays seen differently without a Python object: other axes, reversed ones, parts of complex numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from runtime.engines.native.calls import Calls
from runtime.engines.native.complex_elements import PART_DTYPES, parts
from runtime.engines.native.elements import Element
from runtime.engines.native.ir import FALSE, V, i64
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import (
    ArrayRef,
    Register,
    contiguous_strides,
    is_literal,
    is_native_array,
    product,
)
from runtime.graph import Operation
from runtime.ops.definition import REGISTRY
from runtime.types import ArrayType, ScalarType


def runs_in_machine_code(op: Operation) -> bool:
    if _is_pair(op):
        return True
    if len(op.inputs) != 1 or not is_native_array(op.inputs[0].type) or not is_native_array(op.output.type):
        return False
    attributes, _, holds = _SEEN[op.name]
    return set(op.attributes) <= set(attributes.split()) and holds(op.inputs[0].type, op.output.type)


def _is_pair(op: Operation) -> bool:
    """``z.real``, ``z.imag`` of a number in a pair of registers"""
    type = op.inputs[0].type
    return _SEEN[op.name] is _OF_PAIRS and isinstance(type, ScalarType) and type.dtype.name in PART_DTYPES


def emit(code: Calls, op: Operation) -> None:
    if _is_pair(op):
        part = parts(code.f, code.element_of(op.inputs[0]).value)[op.is_imaginary_part]
        code.bind(op.output, Register(Element(part, op.output.dtype)))
        return
    slow, array = SlowPath(code, op), code.array_of(op.inputs[0])
    found = _SEEN[op.name][1](code, op, array, slow)
    code.f.call("void", "Py_IncRef", (array.holder,))
    (made,) = slow.finish([found])
    code.bind(op.output, made)


def _seen(
    op: Operation, array: ArrayRef, data: V, dims: Sequence[V], strides: Sequence[V], **facts: bool
) -> ArrayRef:
    type = op.output.type
    assert isinstance(type, ArrayType)
    known = tuple([i64(n) if n is not None else v for n, v in zip(type.shape, dims, strict=True)])
    return ArrayRef(type, array.holder, data, known, tuple(strides), array.writable, FALSE, **facts)


def _part(code: Calls, op: Operation, array: ArrayRef, slow: SlowPath) -> ArrayRef:
    """``z.real``, ``z.imag``"""
    size = op.output.dtype.itemsize
    data = code.f.offset(array.data, i64(size)) if op.is_imaginary_part else array.data
    return _seen(op, array, data, array.dims, array.strides)


def _reshaped(code: Calls, op: Operation, array: ArrayRef, slow: SlowPath) -> ArrayRef:
    """The same memory, where it is dense. Elsewhere NumPy finds out whether it needs a copy."""
    f, type = code.f, op.output.type
    assert isinstance(type, ArrayType)
    if not array.contiguous:
        dense = contiguous_strides(f, array.itemsize, array.dims)
        for stride, wanted in zip(array.strides, dense, strict=True):
            slow.jump_if(f.compare("icmp ne", stride, wanted))
    size = functools.reduce(lambda a, b: product(f, a, b), array.dims, i64(1))
    known = math.prod([n for n in type.shape if n is not None])
    open_length = f.binary("sdiv", size, i64(known)) if None in type.shape else i64(1)
    if not is_literal(size):
        slow.jump_if(f.compare("icmp ne", product(f, open_length, i64(known)), size), True)
    dims = tuple([open_length if n is None else i64(n) for n in type.shape])
    strides = contiguous_strides(f, array.itemsize, dims)
    return _seen(op, array, array.data, dims, strides, contiguous=True)


def _flipped(code: Calls, op: Operation, array: ArrayRef, slow: SlowPath) -> ArrayRef:
    f, rank, axis = code.f, array.type.ndim, op.attributes.get("axis")
    data, strides = array.data, list(array.strides)
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    which = [a % rank for a in axes]
    for k in which:
        last = f.binary("sub", array.dims[k], i64(1))
        some = f.select(f.compare("icmp sgt", array.dims[k], i64(0)), last, i64(0))
        data = f.offset(data, product(f, some, strides[k]))
        stride = strides[k]
        strides[k] = i64(-int(stride.ref)) if is_literal(stride) else f.binary("sub", i64(0), stride)
    turned = array.turned != (rank - 1 in which)
    return _seen(op, array, data, array.dims, strides, turned=turned)


def _ordered(code: Calls, op: Operation, array: ArrayRef, slow: SlowPath) -> ArrayRef:
    places = _places(op)
    dims = [i64(1) if k is None else array.dims[k] for k in places]
    strides = [i64(0) if k is None else array.strides[k] for k in places]
    return _seen(op, array, array.data, dims, strides)


def _places(op: Operation) -> list[int | None]:
    """Which axis each axis of the result was, None for a new one: seen on an array whose lengths differ."""
    shape = op.inputs[0].shape
    more = op.output.ndim - len(shape)
    lengths = [1 if n == 1 and more < 0 else k + 2 for k, n in enumerate(shape)]
    kernel = REGISTRY[op.name].kernel
    assert kernel is not None
    found = functools.partial(kernel, **op.attributes)(np.broadcast_to(0, lengths))
    return [None if length == 1 and more > 0 else lengths.index(length) for length in found.shape]


_ANY = lambda array, seen: True
_SAME = ("", lambda code, op, array, slow: array, lambda array, seen: array == seen)
_OF_PAIRS = ("", _part, lambda array, seen: array.dtype.kind == "c" and array.shape == seen.shape)
_IN_ORDER = ("shape", _reshaped, lambda array, seen: seen.shape.count(None) <= 1 and 0 not in seen.shape)
#: the attributes that it may have, the writer, and what holds of the types
_SEEN: dict[str, tuple[str, Callable[..., ArrayRef], Callable[..., bool]]] = {
    "atleast_1d": _SAME, "atleast_2d": _SAME, "atleast_3d": _SAME,
    "real": _OF_PAIRS, "imag": _OF_PAIRS, "reshape": _IN_ORDER, "ravel": _IN_ORDER,
    "flip": ("axis", _flipped, _ANY), "transpose": ("axes", _ordered, _ANY),
    "swapaxes": ("axis1 axis2", _ordered, _ANY), "moveaxis": ("source destination", _ordered, _ANY),
    "expand_dims": ("axis", _ordered, _ANY),
    "squeeze": ("axis", _ordered, lambda array, seen: None not in array.shape),
}  # fmt: skip
