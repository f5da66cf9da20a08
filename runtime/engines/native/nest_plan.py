"""What has to hold for a nest to run as machine code, and in which phases it runs.

The conditions are tested when the nest is reached; where one fails, NumPy's kernels do the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.engines.native import dots, gathers
from runtime.engines.native.accumulators import Combiner
from runtime.engines.native.elements import (
    Element,
    memory_type,
)
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FALSE, NULL, TRUE, FunctionWriter, V, i64
from runtime.engines.native.items import assigned, loses_value, part_of
from runtime.engines.native.loops import Nest
from runtime.engines.native.members import (
    axes_after,
    identity_of,
    is_assignment,
    is_dot,
    is_gather,
    is_reduction,
    is_scatter,
    is_triangle,
    is_write,
    loop_of,
    loop_of_pairs,
    operands_of,
    origin,
    target_type,
)
from runtime.engines.native.ufunc_loops import BLOCK
from runtime.engines.native.values import (
    ArrayRef,
    Register,
    Rep,
    is_literal,
    product,
)
from runtime.graph import Operation, Value
from runtime.types import ArrayType


class NestPlan:
    """A nest, its arrays and the conditions for machine code."""

    def __init__(self, code: Codegen, nest: Nest) -> None:
        self.code = code
        self.f: FunctionWriter = code.f
        self.nest = nest
        self.rank = len(nest.shape)
        after = {v: n for op in nest.members for v, n in axes_after(op).items()}
        self.leaves: dict[Value, ArrayRef] = {v: _before(code.array_of(v), after[v]) for v in nest.leaves()}
        #: arrays of which the shape alone is read
        self.likes: list[ArrayRef] = [
            code.array_of(op.inputs[1])
            for op in nest.members
            if op.has("repeats") and op.inputs[1] in nest.used()
        ]
        self.made = nest.made()
        self.reductions = [op for op in nest.members if is_reduction(op)]
        #: memory that is written though it was there before, by operation
        self.targets: dict[Operation, ArrayRef] = {}
        #: what gathers read and scatters write, by operation
        self.gathers: dict[Operation, gathers.Places] = {}
        self.scatters: dict[Operation, gathers.Places] = {}
        #: what else moves along the nest's axes: rows that these read or write, and places in triangles
        self.beside: dict[Operation, ArrayRef] = {}
        self.dims: list[V] = []
        self.chosen: dict[Operation, V] = {}  # how many elements a mask selects, where that matters
        self.conditions: list[V] = []  # when the nest may run as machine code
        self.scalars: dict[tuple[Value, Any], Element] = {}
        self.calls = _numpy_loops(nest)
        self.phases = _phases(nest, self.calls)
        #: blocks for what one phase hands to a later one, or to a call: values, or operands of a call
        self.buffers: dict[Any, V] = {}
        #: results of reductions of the last axes, and of other axes
        self.rows: dict[Operation, ArrayRef] = {}
        self.columns: dict[Value, tuple[Combiner, ArrayRef]] = {}

    # -- when machine code may run ---------------------------------------------------------------------

    def _require(self, condition: V) -> None:
        if condition != TRUE and condition not in self.conditions:
            self.conditions.append(condition)

    def axis_of(self, array: ArrayRef, axis: int) -> int | None:
        """The array's own axis beside axis ``axis`` of the nest; None where it has none, or is broadcast."""
        own = axis - (self.rank - array.type.ndim)
        if own < 0 or (array.type.shape[own] == 1 and self.nest.shape[axis] != 1):
            return None
        return own

    def _find_lengths(self) -> None:
        for axis, known in enumerate(self.nest.shape):
            length = i64(known) if known is not None else None
            for array in (*self.leaves.values(), *self.targets.values(), *self.likes, *self.beside.values()):
                own = self.axis_of(array, axis)
                if own is None:
                    continue
                here = array.dims[own]
                if length is None:
                    length = here
                elif here != length:
                    self._require(self.f.compare("icmp eq", here, length))
            self.dims.append(length if length is not None else i64(1))

    def _find_gathers(self) -> None:
        for op in self.nest.members:
            if is_gather(op):
                self.gathers[op] = gathers.Places(self.code, op, self._require)
            if is_scatter(op):
                self.scatters[op] = gathers.Places(self.code, op, self._require)
        for op, places in (*self.gathers.items(), *self.scatters.items()):
            if (rest := places.rest(self.rank)) is not None:
                self.beside[op] = rest

    def _find_triangles(self) -> None:
        """The place of an element beside its row's is the address of an element that has none."""
        for op in self.nest.members:
            if is_triangle(op):
                strides = (*(i64(0),) * (self.rank - 2), i64(-1), i64(1))
                type = ArrayType(np.dtype("int8"), self.nest.shape)
                self.beside[op] = ArrayRef(type, NULL, NULL, tuple(self.dims), strides, FALSE, FALSE)

    def dot_alone(self) -> list[ArrayRef] | None:
        """The operands of a nest that is one product of vectors of one dtype."""
        op, *others = self.nest.members
        dtypes = {v.type.dtype for v in op.inputs if isinstance(v.type, ArrayType)}
        if others or not is_dot(op) or len(dtypes) > 1 or dtypes.pop().kind != "f":
            return None
        return [self.leaves[v] for v in op.inputs]

    def _require_product(self) -> None:
        if (alone := self.dot_alone()) is not None:
            self._require(dots.runs(self.code, self.nest.members[0].name, alone, self.dims[0]))

    def _require_layout(self) -> None:
        """NumPy lays results out as the operands are; machine code only does C order."""
        results = [v.type.ndim for v in self.made if isinstance(v.type, ArrayType)]
        if max(results, default=0) < 2:
            return
        rows = [self.beside[op] for op, places in self.gathers.items() if places.whole > 1]
        for array in (*self.leaves.values(), *rows):
            if array.contiguous:
                continue
            own = [k for k in (self.axis_of(array, axis) for axis in range(self.rank)) if k is not None]
            own = [k for k in own if array.type.shape[k] != 1]
            for outer, inner in zip(own, own[1:], strict=False):
                self._require(self.f.compare("icmp sge", array.strides[outer], array.strides[inner]))
                self._require(self.f.compare("icmp sgt", array.strides[inner], i64(0)))

    def _require_elements(self) -> None:
        for op in self.reductions:
            if op.attributes.get("masked") and (op.has("quotient") or identity_of(op) is None):
                self.chosen[op] = gathers.count_of(self.code, self.leaves[op.inputs[1]])
                self._require(self.f.compare("icmp ne", self.chosen[op], i64(0)))
        if any(identity_of(op) is None for op in self.reductions):
            for length in self.dims:
                if not is_literal(length) or length.ref == "0":
                    self._require(self.f.compare("icmp ne", length, i64(0)))

    def _require_aligned(self) -> None:
        """NumPy gives its loops aligned numbers alone: they count steps in numbers."""
        called = [
            array for op in self.calls for array in map(self.leaves.get, op.inputs) if array is not None
        ]
        called += [array for op, array in self.targets.items() if op in self.calls]
        for array in called:
            size = array.itemsize // (2 if array.type.dtype.kind == "c" else 1)
            for stride in array.strides if size > 1 and not array.contiguous else ():
                odd = dots.is_odd(self.f, array.data, stride, size)
                self._require(self.f.binary("xor", odd, TRUE))

    def _prepare_scalars(self) -> None:
        """Convert what is not an array once, before the loops."""
        for op in self.nest.members:
            if is_reduction(op):
                continue
            for value, dtype in operands_of(op):
                rep = self.code.reps.get(value)
                if value in self.leaves and value.ndim or rep is None:
                    continue
                if (value, dtype) not in self.scalars:
                    element = self._scalar(op, rep, value, dtype)
                    if self.f.in_parts:  # nests that only differ in a number have one function
                        element = Element(self.f.value(element.value.type, f"freeze {element.value}"), dtype)
                    self.scalars[value, dtype] = element

    def _scalar(self, op: Operation, rep: Rep, value: Value, dtype: Any) -> Element:
        if is_assignment(op) and isinstance(rep, Register):  # assignment has rules of its own
            unfit = loses_value(self.f, rep.element, dtype)
            if unfit is not None:
                self._unless(unfit, False)
            return assigned(self.f, rep.element, dtype)
        return self.code.operand(rep, value.type, dtype, self._unless)

    # -- writes ----------------------------------------------------------------------------------------

    def _find_targets(self) -> None:
        for op in self.nest.members:
            if not is_write(op) or is_scatter(op):
                continue
            array = self.code.array_of(op.inputs[0])
            if op.is_store:
                type = target_type(op)
                assert type is not None
                array = part_of(self.code, array, op.attributes["index"], op.inputs[2:], type, self._unless)
            self._require(array.writable)
            self.targets[op] = array

    def _require_apart(self) -> None:
        """What is read must not be changed by the write: other memory, or the very same elements."""
        f = self.f
        read_anywhere = [gather.array for gather in self.gathers.values()]
        for scatter in self.scatters.values():
            self._require(scatter.array.writable)
            for array in (*self.leaves.values(), *read_anywhere):
                self._require(apart(f, array, scatter.array))
        by_origin: dict[Value, list[Value]] = {}
        for value in self.leaves:
            by_origin.setdefault(origin(value), []).append(value)
        for op, target in self.targets.items():
            for array in read_anywhere:
                self._require(apart(f, array, target))
            for whole, values in by_origin.items():
                if len(values) > 1 and whole is not origin(op.inputs[0]):  # parts of other memory: one test
                    self._require(all_apart(f, [self.leaves[value] for value in values], target))
                    continue
                for value in values:
                    self._require(self._is_clear(value, op, target))

    def _is_clear(self, value: Value, op: Operation, target: ArrayRef) -> V:
        f, array = self.f, self.leaves[value]
        clear = apart(f, array, target)
        own = [self.axis_of(array, axis) for axis in range(self.rank)]
        if array.type.ndim == self.rank and None not in own and array.itemsize == target.itemsize:
            same = f.compare("icmp eq", array.data, target.data)
            for a, b in zip(array.strides, target.strides, strict=True):
                same = f.binary("and", same, f.compare("icmp eq", a, b))
            clear = f.binary("or", clear, same)
            if self.rank == 1 and origin(value) is origin(op.inputs[0]):
                clear = f.binary("or", clear, _between(f, array, target))
        return clear

    def _unless(self, condition: V, raises: bool) -> None:
        self._require(self.f.binary("xor", condition, TRUE))

    # -- phases ----------------------------------------------------------------------------------------

    def phase_of(self, value: Value) -> int:
        """The first phase in which a value is there."""
        op = value.owner
        if op is None or op not in self.phases:
            return 0
        return self.phases[op] + (op in self.calls)

    def is_called(self, value: Value) -> bool:
        return value.owner in self.calls

    def _find_buffers(self) -> None:
        if not self.calls:
            return
        inside = {v for op in self.nest.members for v in op.outputs}
        keys: dict[Any, np.dtype[Any]] = {}
        for op in self.nest.members:
            for value, dtype in operands_of(op):
                if (value, dtype) in self.scalars:
                    continue
                own: np.dtype[Any] = value.dtype
                if op in self.calls and own != dtype:
                    keys[value, dtype] = dtype  # converted for the call
                if value in inside and value not in self.nest.stored:
                    crosses = self.phase_of(value) < self.phases[op]
                    if crosses or (op in self.calls and own == dtype) or self.is_called(value):
                        keys[value] = own
        for op in self.calls:
            if not is_write(op) and op.output not in self.nest.stored:
                keys[op.output] = op.output.dtype
        for key, dtype in keys.items():
            self.buffers[key] = self.f.alloca(f"[{BLOCK} x {memory_type(dtype)}]")


def _before(array: ArrayRef, axes: int) -> ArrayRef:
    """An array that comes before so many axes of a nest, along which it does not move."""
    if not axes or not array.type.ndim:
        return array
    ones = (1,) * axes
    type = ArrayType(array.type.dtype, (*array.type.shape, *ones))
    dims, strides = (*array.dims, *map(i64, ones)), (*array.strides, *[i64(array.itemsize)] * axes)
    return replace(array, type=type, dims=dims, strides=strides, contiguous=False, turned=False)


def _numpy_loops(nest: Nest) -> dict[Operation, tuple[int, int]]:
    """The members that NumPy's own loops compute, with the loops' addresses."""
    alone = loop_of_pairs(nest.members[0]) if len(nest.members) == 1 else None
    places = {op: alone or loop_of(op) for op in nest.members}
    return {op: place for op, place in places.items() if place is not None}


def _phases(nest: Nest, calls: dict[Operation, tuple[int, int]]) -> dict[Operation, int]:
    """For each member the phase in which it runs: after all calls that it depends on."""
    phases: dict[Operation, int] = {}
    for op in nest.members:
        makers = [v.owner for v in op.inputs if v.owner in phases]
        phases[op] = max([phases[m] + (m in calls) for m in makers if m is not None], default=0)
        if is_write(op):  # nothing may be read after it
            phases[op] = max([phases[m] + (m in calls) for m in phases if m is not op], default=0)
    return phases


def apart(f: FunctionWriter, a: ArrayRef, b: ArrayRef) -> V:
    return all_apart(f, [a], b)


def all_apart(f: FunctionWriter, arrays: Sequence[ArrayRef], b: ArrayRef) -> V:
    """Does ``b`` lie before, or behind, all of these? LLVM takes long for such conditions."""
    low, high = extent(f, arrays[0])
    for array in arrays[1:]:
        first, end = extent(f, array)
        low = f.select(f.compare("icmp ult", first, low), first, low)
        high = f.select(f.compare("icmp ugt", end, high), end, high)
    first, end = extent(f, b)
    return f.binary("or", f.compare("icmp ule", high, first), f.compare("icmp ule", end, low))


def _between(f: FunctionWriter, a: ArrayRef, b: ArrayRef) -> V:
    """Does each number of one row lie between two of another, as in columns of one matrix?"""
    step, other = a.strides[0], b.strides[0]
    size = f.select(f.compare("icmp slt", step, i64(0)), f.binary("sub", i64(0), step), step)
    size = f.select(f.compare("icmp eq", size, i64(0)), i64(1), size)
    distance = f.binary("sub", *[f.value("i64", f"ptrtoint {array.data} to i64") for array in (a, b)])
    rest = f.binary("srem", distance, size)
    rest = f.select(f.compare("icmp slt", rest, i64(0)), f.binary("add", rest, size), rest)
    room = f.binary("sub", size, i64(a.itemsize))
    fits = f.binary("and", f.compare("icmp sge", rest, i64(b.itemsize)), f.compare("icmp sle", rest, room))
    return f.binary("and", f.compare("icmp eq", step, other), fits)


def extent(f: FunctionWriter, array: ArrayRef) -> tuple[V, V]:
    """The addresses between which an array's elements lie."""
    low = f.value("i64", f"ptrtoint {array.data} to i64")
    high = f.binary("add", low, i64(array.itemsize))
    for length, stride in zip(array.dims, array.strides, strict=True):
        last = i64(int(length.ref) - 1) if is_literal(length) else f.binary("sub", length, i64(1))
        reach = product(f, last, stride)
        if array.contiguous:
            high = f.binary("add", high, reach)
            continue
        back = f.compare("icmp slt", reach, i64(0))
        low = f.binary("add", low, f.select(back, reach, i64(0)))
        high = f.binary("add", high, f.select(back, i64(0), reach))
    return low, high
