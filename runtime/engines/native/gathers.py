"""Items of an array at places that other arrays name: ``x[i]``, ``x[k, i]``, ``x[i, j]``; rows, and the like.

A gather is a member of a nest: each element is read where its index says, and nothing is stored of it that
nobody wants. Last axes that the index leaves as they are, ``x[i]`` of a matrix, are axes of the nest, too.
A scatter, ``x[i] = v``, writes there, in order. The indices are looked through before the nest
begins: one that is out of bounds leaves all of it to the kernels, which raise with NumPy's words, and then
nothing has been written.

Items that a mask selects, where they are: ``x[m] = f(x[m], y[m])``, ``x[m].sum()``.

NumPy packs the selected items together, computes with the packed ones, and spreads the result. Here they
stay in place: a nest over the mask computes each element, and stores (or adds) those where the mask holds.
That is so where the packed arrays are nobody else's: they are made by ``x[m]`` and elementwise operations,
end in one ``y[m] = ...`` or reduction, and nothing in between could change the arrays or the mask.

The members of such a nest are operations of this module's own making, without the packing:
``copyto(y, v, m)`` for ``y[m] = v``, ``sum(v, m) {masked: True}`` for the sum. Where its conditions fail,
the graph's own operations run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from runtime.engines.native import shared
from runtime.engines.native.arrays import parallel
from runtime.engines.native.elements import BOOL, Element, convert, load, memory_type
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FunctionWriter, V, counted_loop, i64
from runtime.engines.native.loops import Nest
from runtime.engines.native.members import can_write, has_native, origin, reduction_form, whole_axes
from runtime.engines.native.module import ModuleWriter
from runtime.engines.native.values import ArrayRef, in_register, is_native_array, product
from runtime.graph import Block, Operation, Value
from runtime.graph.effects import effects_of
from runtime.ops.definition import REGISTRY
from runtime.ops.indexing import Dynamic, expand_index
from runtime.types import ArrayType

INT64 = np.dtype("int64")


class Places:
    """Where the items of one gather, or scatter, are, once the nest has begun."""

    def __init__(self, code: Codegen, op: Operation, require: Callable[[V], None]) -> None:
        array = code.array_of(op.inputs[0])
        self.code, self.f, self.array = code, code.f, array
        self.dtype = array.type.dtype
        dynamic = op.indices
        items = expand_index(op.attributes["index"], array.type.ndim, [v.type for v in dynamic])
        self.data = array.data
        self.moving: list[tuple[Value, V, V]] = []  # index, length, stride
        f = self.f
        self.whole = whole_axes(op) or 0
        for item, length, stride in list(zip(items, array.dims, array.strides, strict=True))[
            : array.type.ndim - self.whole
        ]:
            value = dynamic[item.index] if isinstance(item, Dynamic) else None
            if value is not None and isinstance(value.type, ArrayType):
                self.moving.append((value, length, stride))
                require(within(code, code.array_of(value), length))
                continue
            if value is None:
                place = i64(item)
            else:
                place = convert(f, code.element_of(value), INT64).value
            place = _from_front(f, place, length)
            require(f.compare("icmp ult", place, length))
            self.data = f.offset(self.data, product(f, place, stride))

    def rest(self, rank: int) -> ArrayRef | None:
        """What the index leaves as it is, with the nest's rank: it moves along its own axes alone."""
        array, first = self.array, self.array.type.ndim - self.whole
        if not self.whole:
            return None
        type = ArrayType(self.dtype, (*(1,) * (rank - self.whole), *array.type.shape[first:]))
        still = (i64(1),) * (rank - self.whole)
        strides = (*(i64(0),) * len(still), *array.strides[first:])
        dims = (*still, *array.dims[first:])
        return replace(array, type=type, data=self.data, dims=dims, strides=strides, contiguous=False)

    def address(self, indices: list[Element], pointer: V) -> V:
        """Of what the indices name, beside ``pointer``: `data`, or where the nest has moved it."""
        f = self.f
        for found, (value, length, stride) in zip(indices, self.moving, strict=True):
            place = convert(f, found, INT64).value
            if value.dtype.kind == "i":
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


def within(code: Codegen, index: ArrayRef, length: V) -> V:
    """Are all numbers of an array of integers places of an axis, from its front or from its end?"""
    dtype = index.type.dtype
    look = shared.function(
        code, f"within.{dtype.name}", "i64", "x step count length", partial(_write_look, dtype)
    )
    wrong = _of_all_rows(
        code, index, lambda *row: code.f.call("i64", look, (*row, length)), partial(code.f.binary, "or")
    )
    return code.f.compare("icmp eq", wrong, i64(0))


def count_of(code: Codegen, mask: ArrayRef) -> V:
    """How many elements of a mask hold."""
    counting = shared.function(code, "count.bool", "i64", "x step count", _write_count)
    return _of_all_rows(
        code, mask, lambda *row: code.f.call("i64", counting, row), partial(code.f.binary, "add")
    )


def _of_all_rows(
    code: Codegen, array: ArrayRef, row: Callable[[V, V, V], V], together: Callable[[V, V], V]
) -> V:
    """A number of each row of an array, asked by address, step and length of the row; of all of them."""
    f = code.f
    *outer, (step, length) = list(zip(array.strides, array.dims, strict=True))
    if not outer:
        return row(array.data, step, length)
    found = f.alloca("i64")
    f.store(i64(0), found)

    def along(data: V, axis: int) -> None:
        if axis == len(outer):
            return f.store(together(f.load("i64", found), row(data, step, length)), found)
        stride, count = outer[axis]
        steps = lambda i: along(f.offset(data, product(f, i, stride)), axis + 1)
        return counted_loop(f, i64(0), count, i64(1), steps)

    along(array.data, 0)
    return f.load("i64", found)


def _write_count(code: ModuleWriter, f: FunctionWriter) -> None:
    data, step, count = f.params
    total = f.alloca("i64")
    f.store(i64(0), total)

    def loop(unit: bool) -> None:
        def look(i: V) -> None:
            holds = load(f, BOOL, f.offset(data, i if unit else f.binary("mul", i, step))).value
            f.store(f.binary("add", f.load("i64", total), f.convert("zext", holds, "i64")), total)

        counted_loop(f, i64(0), count, i64(1), look, parallel(code, unit)[1])

    in_two_forms(f, f.compare("icmp eq", step, i64(1)), loop)
    f.ret(f.load("i64", total))


def _write_look(dtype: np.dtype, code: ModuleWriter, f: FunctionWriter) -> None:
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

    in_two_forms(f, f.compare("icmp eq", step, i64(dtype.itemsize)), loop)
    f.ret(f.load("i64", wrong))


def in_two_forms(f: FunctionWriter, tight: V, loop: Callable[[bool], None]) -> None:
    """A loop over numbers side by side, and one over numbers anywhere."""
    one, other, done = f.label("tight"), f.label("wide"), f.label("looked")
    f.branch(tight, one, other)
    for label, unit in ((one, True), (other, False)):
        f.at(label)
        loop(unit)
        f.jump(done)
    f.at(done)


def find(block: Block) -> tuple[dict[Operation, Nest], set[Operation]]:
    """The nests under masks by the operation that ends them, and the operations that these nests replace."""
    operations = list(block.operations)
    places = {op: k for k, op in enumerate(operations)}
    uses: dict[Value, int] = {}
    for value in _used(block):
        uses[value] = uses.get(value, 0) + 1
    nests: dict[Operation, Nest] = {}
    inside: set[Operation] = set()
    for last in operations:
        chain = _chain_of(last, places)
        if chain is None or not _is_apart(chain, last, operations, places, uses):
            continue
        nest = _in_place(sorted(chain, key=places.__getitem__), last, places)
        if nest is not None:
            nests[last] = nest
            inside.update(chain)
    return nests, inside


def _mask(op: Operation, at: int) -> Value | None:
    """The mask of ``x[m]``, which has the very shape of x."""
    if op.attributes.get("index") != (Dynamic(0),) or len(op.inputs) != at + 1:
        return None
    array, mask = op.inputs[0].type, op.inputs[at].type
    if not is_native_array(array) or not isinstance(mask, ArrayType) or mask.dtype.name != "bool":
        return None
    return op.inputs[at] if mask.shape == array.shape and mask.ndim else None


def _can_leave_out(op: Operation) -> bool:
    """Is it a reduction that can leave out what a mask does not select?"""
    definition = REGISTRY[op.name]
    return definition.family == "reduction" and bool(definition.combines)


def _chain_of(last: Operation, places: dict[Operation, int]) -> list[Operation] | None:
    """The operations that make what ``last`` stores or reduces; None where it does neither."""
    if last.is_store:
        mask = _mask(last, 2)
        if mask is None or in_register(last.inputs[1].type):
            return None if mask is None else []
        return _chain(last.inputs[1], mask, places)
    if _can_leave_out(last) and reduction_form(last) == "full":
        first = last.inputs[0].owner
        while first is not None and not first.is_load and first in places:
            first = next((v.owner for v in first.inputs if isinstance(v.type, ArrayType)), None)
        mask = None if first is None or not first.is_load else _mask(first, 1)
        return None if mask is None else _chain(last.inputs[0], mask, places)
    return None


def _chain(value: Value, mask: Value, places: dict[Operation, int]) -> list[Operation] | None:
    """The operations that make a packed array of nothing but packed arrays and numbers."""
    chain: dict[Operation, None] = {}
    wanted = [value]
    while wanted:
        op = wanted.pop().owner
        if op is None or op not in places:
            return None
        if op in chain:
            continue
        if op.is_load and _mask(op, 1) is mask:
            chain[op] = None
            continue
        if REGISTRY[op.name].family != "elementwise" or len(op.outputs) != 1 or not has_native(op):
            return None
        if effects_of(op).ordered or effects_of(op).writes:
            return None
        chain[op] = None
        arrays = [v for v in op.inputs if isinstance(v.type, ArrayType)]
        if any(not v.ndim for v in arrays) or not arrays:
            return None
        wanted += arrays
    return list(chain)


def _is_apart(
    chain: list[Operation],
    last: Operation,
    operations: list[Operation],
    places: dict[Operation, int],
    uses: dict[Value, int],
) -> bool:
    """Are the packed arrays used in the chain alone, and does nothing else happen before it ends?"""
    sources = [op.inputs[0] for op in chain if op.is_load]
    if last.is_store and any(
        s is not last.inputs[0] and origin(s) is origin(last.inputs[0]) for s in sources
    ):
        return False  # what is read may be changed by the write: NumPy reads all of it first
    members = {*chain, last}
    within: dict[Value, int] = {}
    for op in members:
        for value in op.inputs:
            within[value] = within.get(value, 0) + 1
    if any(uses.get(v, 0) != within.get(v, 0) for op in chain for v in op.outputs):
        return False
    first = min(places[op] for op in members)
    between = [op for op in operations[first : places[last]] if op not in members]
    return all(op.is_constant for op in between)


def _in_place(chain: list[Operation], last: Operation, places: dict[Operation, int]) -> Nest | None:
    """The nest that does the same over the shape of the mask."""
    mask = last.inputs[2] if last.is_store else chain[0].inputs[1]
    shape = mask.shape
    instead: dict[Value, Value] = {}
    members: list[Operation] = []
    for op in chain:
        if op.is_load:
            instead[op.output] = op.inputs[0]
            continue
        type = ArrayType(op.output.dtype, shape)
        inputs = tuple([instead.get(v, v) for v in op.inputs])
        made = Operation(op.name, inputs, (type,), op.attributes, location=op.location)
        instead[op.output] = made.output
        members.append(made)
    if last.is_store:
        value = instead.get(last.inputs[1], last.inputs[1])
        end = Operation("copyto", (last.inputs[0], value, mask), location=last.location)
        if not isinstance(target := end.inputs[0].type, ArrayType) or not can_write(end, target):
            return None
    else:
        attributes = {**last.attributes, "masked": True}
        end = Operation(last.name, (instead[last.inputs[0]], mask), (), attributes, location=last.location)
        end.outputs = last.outputs
    return Nest(shape, [*members, end], kernels=[*chain, last])


def _used(block: Block) -> Iterator[Value]:
    yield from block.results
    for op in block.operations:
        yield from op.inputs
        for inner in op.blocks:
            yield from _used(inner)
