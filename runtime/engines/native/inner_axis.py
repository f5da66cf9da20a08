"""The innermost axis of a nest: element by element, with NumPy's loops called between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.engines.native.accumulators import Accumulator
from runtime.engines.native.arrays import parallel
from runtime.engines.native.elements import Element, LlvmElements, convert, load, memory_type, store
from runtime.engines.native.gathers import Places
from runtime.engines.native.ir import V, counted_loop, i64
from runtime.engines.native.members import (
    TRIANGLES,
    arithmetic_of,
    is_dot,
    is_reduction,
    is_triangle,
    is_write,
    operands_of,
    rule_of,
)
from runtime.engines.native.nest_plan import NestPlan
from runtime.engines.native.values import ArrayRef, is_literal, product
from runtime.graph import Operation, Value

#: loops over no more elements in all may be written without loops
TINY = 64


class InnerAxis:
    """One pass along the innermost axis: the phases between calls of NumPy's loops.

    Phase 0 is everything that needs no call; a call takes operands of phase p and its result is of phase
    p + 1. What a later phase needs of an earlier one is kept in a buffer of one block.
    """

    def __init__(self, plan: NestPlan, rows: Any, outputs: Any, accumulators: Any, unit: bool) -> None:
        self.plan = plan
        self.f = plan.f
        self.rows: dict[Value | Operation, tuple[ArrayRef, V]] = rows
        self.outputs: dict[Value, ArrayRef] = outputs
        self.accumulators: dict[Value, Accumulator] = accumulators
        self.unit = unit

    # -- where values are ------------------------------------------------------------------------------

    def address(self, value: Value | Operation, i: V) -> V:
        """Of an element of an array."""
        array, pointer = self.rows[value]
        own = self.plan.axis_of(array, self.plan.rank - 1)
        if own is None:
            return pointer
        if self.unit or array.contiguous:
            place = self.f.binary("sub nsw", i64(0), i) if array.turned else i
            return self.f.offset(pointer, place, memory_type(array.type.dtype))
        return self.f.offset(pointer, product(self.f, i, array.strides[own]))

    def step(self, value: Value | Operation) -> V:
        array, _ = self.rows[value]
        own = self.plan.axis_of(array, self.plan.rank - 1)
        if own is None:
            return i64(0)
        if self.unit or array.contiguous:
            return i64(-array.itemsize if array.turned else array.itemsize)
        return array.strides[own]

    # -- a phase ---------------------------------------------------------------------------------------

    def phase(self, number: int, first: V, end: V) -> None:
        plan = self.plan
        members = [op for op in plan.nest.members if op not in plan.calls and plan.phases[op] == number]
        buffered = [
            v
            for v in plan.buffers
            if isinstance(v, Value) and plan.phase_of(v) == number and not plan.is_called(v)
        ]
        operands = [key for key in plan.buffers if isinstance(key, tuple) and plan.phase_of(key[0]) == number]
        stored = [v for v in self.outputs if plan.phase_of(v) == number and not plan.is_called(v)]
        if any(is_reduction(op) or is_write(op) for op in members) or stored or buffered or operands:
            reduces = any(is_reduction(op) for op in members)
            is_long = is_literal(end) and int(end.ref) > TINY
            metadata = parallel(plan.code, self.unit, reduces, is_long)
            if any(not places.whole for places in plan.scatters.values()):  # of one place the last one stays
                metadata = ("", "")
            counted_loop(
                self.f,
                first,
                end,
                i64(1),
                lambda i: self._element(i, first, members, stored, [*buffered, *operands], metadata[0]),
                metadata[1],
            )
        for op in plan.calls:
            if plan.phases[op] == number:
                self._call(op, first, end)

    def _element(
        self, i: V, first: V, members: list[Operation], stored: Any, buffered: Any, suffix: str
    ) -> None:
        """The body of the innermost loop."""
        f, plan = self.f, self.plan
        elements: dict[Value, Element] = {}
        wanted = _needed(members, [*stored, *[b if isinstance(b, Value) else b[0] for b in buffered]])

        def element(value: Value) -> Element:
            if value in elements:
                return elements[value]
            if value in plan.buffers:
                elements[value] = load(f, value.dtype, self._in_block(value, i, first), suffix)
            else:
                elements[value] = load(f, value.dtype, self.address(value, i), suffix)
            return elements[value]

        for op in members:
            if op not in wanted:
                continue
            if is_reduction(op):
                self._reduce(op, i, element, suffix)
                continue
            if is_write(op):
                self._write(op, i, element, suffix)
                continue
            elements[op.output] = self._compute(op, i, element, suffix)
        for value in stored:
            store(f, element(value), self.address(value, i), suffix)
        for key in buffered:
            if isinstance(key, Value):
                store(f, element(key), self._in_block(key, i, first), suffix)
            else:
                store(f, self._operand(key[0], key[1], element), self._in_block(key, i, first), suffix)

    def _start(self, op: Operation, places: Places, i: V) -> V:
        return self.address(op, i) if op in self.plan.beside else places.data

    def _compute(self, op: Operation, i: V, element: Callable[[Value], Element], suffix: str) -> Element:
        operands = [self._operand(v, d, element) for v, d in operands_of(op)]
        if op in self.plan.gathers:
            places = self.plan.gathers[op]
            return load(self.f, places.dtype, places.address(operands, self._start(op, places, i)), suffix)
        if is_triangle(op):
            at = self.f.value("i64", f"ptrtoint {self.address(op, i)} to i64")
            stays = self.f.compare(f"icmp {TRIANGLES[op.name]}", at, i64(op.attributes.get("k", 0)))
            nothing = LlvmElements(self.f, self.plan.code.declare, {}, operands[0].dtype).constant(
                0, operands[0].dtype
            )
            return Element(self.f.select(stays, operands[0].value, nothing.value), operands[0].dtype)
        dtype = op.output.dtype
        b = LlvmElements(self.f, self.plan.code.declare, op.attributes, dtype)
        return convert(self.f, rule_of(op)(b, *operands), dtype)

    def _product(self, op: Operation, element: Callable[[Value], Element]) -> Element:
        x, y = [self._operand(value, dtype, element) for value, dtype in operands_of(op)]
        times = "fmul contract" if x.dtype.kind == "f" else "mul"
        return Element(self.f.binary(times, x.value, y.value), x.dtype)

    def _reduce(self, op: Operation, i: V, element: Callable[[Value], Element], suffix: str) -> None:
        taken = self._product(op, element) if is_dot(op) else element(op.inputs[0])
        if op.output not in self.plan.columns:
            chosen = element(op.inputs[1]).value if op.attributes.get("masked") else None
            self.accumulators[op.output].take(taken, i, chosen)
            return
        combiner, _ = self.plan.columns[op.output]
        at = self.address(op.output, i)
        now = load(self.f, combiner.dtype, at, suffix)
        store(self.f, combiner.combine(now, taken, True), at, suffix)

    def _write(self, op: Operation, i: V, element: Callable[[Value], Element], suffix: str) -> None:
        f, dtype = self.f, op.inputs[0].dtype
        if op.is_inplace:
            found = self._compute(arithmetic_of(op), i, element, suffix)
            return store(f, convert(f, found, dtype), self.address(op, i), suffix)
        (value, own), *masks = operands_of(op)
        found = convert(f, self._operand(value, own, element), dtype)
        if op in self.plan.scatters:
            indices = [element(index) for index, _ in masks]
            places = self.plan.scatters[op]
            return store(f, found, places.address(indices, self._start(op, places, i)), suffix)
        if not masks:
            return store(f, found, self.address(op, i), suffix)
        chosen, left = f.label("chosen"), f.label("left")
        f.branch(self._operand(*masks[0], element).value, chosen, left)
        f.at(chosen)  # what is not selected is not written: another thread may do that
        store(f, found, self.address(op, i), suffix)
        f.jump(left)
        f.at(left)
        return None

    def _operand(self, value: Value, dtype: Any, element: Callable[[Value], Element]) -> Element:
        known = self.plan.scalars.get((value, dtype))
        return known if known is not None else convert(self.f, element(value), dtype)

    def _in_block(self, key: Any, i: V, first: V) -> V:
        dtype = key.dtype if isinstance(key, Value) else key[1]
        return self.f.offset(self.plan.buffers[key], self.f.binary("sub", i, first), memory_type(dtype))

    # -- calls of NumPy's loops ------------------------------------------------------------------------

    def _call(self, op: Operation, first: V, end: V) -> None:
        f, plan = self.f, self.plan
        places: list[tuple[V, V]] = []
        for value, dtype in operands_of(op):
            key = (value, dtype)
            if key in plan.scalars:
                cell = f.alloca("i64", 2)
                store(f, plan.scalars[key], cell)
                places.append((cell, i64(0)))
            elif key in plan.buffers or value in plan.buffers:
                places.append((plan.buffers[key if key in plan.buffers else value], i64(dtype.itemsize)))
            else:
                places.append((self.address(value, first), self.step(value)))
        output = op if is_write(op) else op.output
        if isinstance(output, Value) and output in plan.buffers:
            places.append((plan.buffers[output], i64(output.dtype.itemsize)))
        else:
            places.append((self.address(output, first), self.step(output)))
        plan.code.emit_loop_call(op, plan.calls[op], places, f.binary("sub", end, first))


def _needed(members: list[Operation], results: Sequence[Value]) -> set[Operation]:
    """The members that reductions or results of this phase depend on."""
    wanted = set(results)
    needed: set[Operation] = set()
    for op in reversed(members):
        if is_reduction(op) or is_write(op) or op.output in wanted:
            needed.add(op)
            wanted.update(op.inputs)
    return needed
