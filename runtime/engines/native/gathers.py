"""Items of an array at places that other arrays name: ``x[i]``, ``x[k, i]``, ``x[i, j]``.

A gather is a member of a nest: each element is read where its index says, and nothing is stored of it that
nobody wants. A scatter, ``x[i] = v``, writes there, in order. The indices are looked through before the nest
begins: one that is out of bounds leaves all of it to the kernels, which raise with NumPy's words, and then
nothing has been written.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runtime.engines.native import shared
from runtime.engines.native.arrays import parallel
from runtime.engines.native.elements import Element, convert, load, memory_type
from runtime.engines.native.ir import FunctionWriter, V, counted_loop, i64
from runtime.engines.native.module import ModuleWriter
from runtime.engines.native.values import ArrayRef, Register, product
from runtime.graph import Operation, Value
from runtime.ops.indexing import Dynamic, expand_index
from runtime.types import ArrayType

INT64 = np.dtype("int64")


class Places:
    """Where the items of one gather, or scatter, are, once the nest has begun."""

    def __init__(self, code: Any, op: Operation, require: Any) -> None:
        array = code.reps[op.inputs[0]]
        assert isinstance(array, ArrayRef)
        self.code, self.f, self.array = code, code.f, array
        self.dtype = array.type.dtype
        dynamic = op.inputs[1 if op.name == "getitem" else 2 :]
        items = expand_index(op.attributes["index"], array.type.ndim, [v.type for v in dynamic])
        self.data = array.data
        self.moving: list[tuple[Value, V, V]] = []  # index, length, stride
        f = self.f
        for item, length, stride in zip(items, array.dims, array.strides, strict=True):
            value = dynamic[item.index] if isinstance(item, Dynamic) else None
            if value is not None and isinstance(value.type, ArrayType):
                self.moving.append((value, length, stride))
                index = code.reps[value]
                assert isinstance(index, ArrayRef)
                require(within(code, index, length))
                continue
            if value is None:
                place = i64(item)
            else:
                rep = code.reps[value]
                assert isinstance(rep, Register)
                place = convert(f, rep.element, INT64).value
            place = _from_front(f, place, length)
            require(f.compare("icmp ult", place, length))
            self.data = f.offset(self.data, product(f, place, stride))

    def address(self, indices: list[Element]) -> V:
        f, pointer = self.f, self.data
        for found, (value, length, stride) in zip(indices, self.moving, strict=True):
            place = convert(f, found, INT64).value
            if value.type.dtype.kind == "i":  # type: ignore[union-attr]
                place = _from_front(f, place, length)
            if self.array.contiguous and stride == i64(self.array.itemsize):
                pointer = f.offset(pointer, place, memory_type(self.dtype))
            else:
                pointer = f.offset(pointer, product(f, place, stride))
        return pointer


def _from_front(f: FunctionWriter, place: V, length: V) -> V:
    if place.ref.isdigit():
        return place
    wrapped = f.binary("add", place, length)
    return f.select(f.compare("icmp slt", place, i64(0)), wrapped, place)


def within(code: Any, index: ArrayRef, length: V) -> V:
    """Are all numbers of an array of integers places of an axis, from its front or from its end?"""
    f, dtype = code.f, index.type.dtype
    look = shared.function(
        code, f"within.{dtype.name}", "i64", "x step count length", partial(_write_look, dtype)
    )
    if index.type.ndim == 1:
        found = f.call("i64", look, (index.data, index.strides[0], index.dims[0], length))
        return f.compare("icmp eq", found, i64(0))
    wrong = f.alloca("i64")
    f.store(i64(0), wrong)

    def along(data: V, axis: int) -> None:
        if axis == index.type.ndim - 1:
            found = f.call("i64", look, (data, index.strides[axis], index.dims[axis], length))
            return f.store(f.binary("or", f.load("i64", wrong), found), wrong)
        steps = lambda i: along(f.offset(data, product(f, i, index.strides[axis])), axis + 1)
        return counted_loop(f, i64(0), index.dims[axis], i64(1), steps)

    along(index.data, 0)
    return f.compare("icmp eq", f.load("i64", wrong), i64(0))


def _write_look(dtype: np.dtype[Any], code: ModuleWriter, f: FunctionWriter) -> None:
    """Zero where all of so many numbers are places of an axis of this length."""
    data, step, count, length = f.params
    wrong = f.alloca("i64")
    f.store(i64(0), wrong)
    signed = dtype.kind == "i"
    most = f.binary("shl", length, i64(1)) if signed else length

    def loop(unit: bool) -> None:
        def look(i: V) -> None:
            at = f.offset(data, i, memory_type(dtype)) if unit else f.offset(data, f.binary("mul", i, step))
            place = convert(f, load(f, dtype, at), INT64).value
            if signed:
                place = f.binary("add", place, length)
            bad = f.convert("zext", f.compare("icmp uge", place, most), "i64")
            f.store(f.binary("or", f.load("i64", wrong), bad), wrong)

        counted_loop(f, i64(0), count, i64(1), look, parallel(code, unit)[1])

    one, other, done = f.label("tight"), f.label("wide"), f.label("looked")
    f.branch(f.compare("icmp eq", step, i64(dtype.itemsize)), one, other)
    for label, unit in ((one, True), (other, False)):
        f.at(label)
        loop(unit)
        f.jump(done)
    f.at(done)
    f.ret(f.load("i64", wrong))
