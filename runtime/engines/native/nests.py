"""Loop nests: elementwise operations and full reductions that share one pass over their arrays.

A nest is written up to three times, and chooses when it runs:

* *unit*: every array has its elements side by side along the last axis. LLVM vectorises this one. Where
  all arrays are contiguous the axes are run as one.
* *strided*: any strides.
* *slow*: NumPy's kernels, one operation after the other, for what the other two do not do: lengths that
  differ (broadcasting of an unknown dimension, or an error), results whose memory would not be in C order,
  a maximum of nothing, a Python int that does not fit the dtype. So that these behave exactly as NumPy.

Floating-point sums run in blocks, whose sums are added with compensation: at least as exact as NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.engines.native.accumulators import Accumulator
from runtime.engines.native.control import merge
from runtime.engines.native.elements import (
    Element,
    memory_type,
)
from runtime.engines.native.inner_axis import InnerAxis, counted_loop
from runtime.engines.native.ir import FALSE, NULL, TRUE, FunctionWriter, Label, V, i32, i64
from runtime.engines.native.loops import Nest, is_reduction
from runtime.engines.native.lower import IDENTITIES, operand_types_of
from runtime.engines.native.ufunc_loops import BLOCK, numpy_loop
from runtime.engines.native.values import (
    ArrayRef,
    Register,
    Rep,
    array_ref,
    component_types,
    components,
    contiguous_strides,
    from_components,
    is_literal,
    product,
)
from runtime.engines.tracebacks import located
from runtime.graph import Operation, Value
from runtime.ops.definition import REGISTRY
from runtime.types import ArrayType

if TYPE_CHECKING:
    from runtime.engines.native.codegen import Codegen


def emit(code: Codegen, nest: Nest) -> None:
    """Write a nest; afterwards its stored arrays and reductions are bound."""
    NestEmitter(code, nest).emit()


class NestEmitter:
    def __init__(self, code: Codegen, nest: Nest) -> None:
        self.code = code
        self.f: FunctionWriter = code.f
        self.nest = nest
        self.rank = len(nest.shape)
        self.leaves: dict[Value, ArrayRef] = {v: code.reps[v] for v in nest.leaves()}  # type: ignore[misc]
        self.made = nest.made()
        self.reductions = [op for op in nest.members if is_reduction(op)]
        self.dims: list[V] = []
        self.conditions: list[V] = []  # when the nest may run as machine code
        self.scalars: dict[tuple[Value, Any], Element] = {}
        self.calls = _numpy_loops(nest)
        self.phases = _phases(nest, self.calls)
        #: blocks for what one phase hands to a later one, or to a call: values, or operands of a call
        self.buffers: dict[Any, V] = {}

    def emit(self) -> None:
        f = self.f
        self._find_lengths()
        self._require_layout()
        self._require_elements()
        self._prepare_scalars()
        slow = f.label("slow") if self.conditions else None
        if slow is not None:
            fast = f.label("nest")
            together = self.conditions[0]
            for condition in self.conditions[1:]:
                together = f.binary("and", together, condition)
            f.branch(together, fast, slow, likely=True)
            f.at(fast)
        self._find_buffers()
        results = self._fast()
        if slow is not None:
            fast_end, join = f.block, f.label("join")
            f.jump(join)
            f.at(slow)
            others = self._slow()
            slow_end = f.block
            f.jump(join)
            f.at(join)
            results = self._join(join, (results, fast_end), (others, slow_end))
        for value, rep in zip(self.made, results, strict=True):
            self.code.bind(value, rep)

    def _join(self, join: Label, fast: tuple[list[Rep], Label], slow: tuple[list[Rep], Label]) -> list[Rep]:
        merged = []
        for value, a, b in zip(self.made, fast[0], slow[0], strict=True):
            parts = []
            for type, x, y in zip(component_types(value.type), components(a), components(b), strict=True):
                parts.append(merge(self.code, join, type, [(x, fast[1]), (y, slow[1])]))
            merged.append(from_components(value.type, tuple(parts)))
        return merged

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
            for array in self.leaves.values():
                own = self.axis_of(array, axis)
                if own is None:
                    continue
                here = array.dims[own]
                if length is None:
                    length = here
                elif here != length:
                    self._require(self.f.compare("icmp eq", here, length))
            self.dims.append(length if length is not None else i64(1))

    def _require_layout(self) -> None:
        """NumPy lays results out as the operands are; machine code only does C order."""
        if self.rank < 2 or not self.nest.stored:
            return
        for array in self.leaves.values():
            if array.contiguous:
                continue
            own = [k for k in (self.axis_of(array, axis) for axis in range(self.rank)) if k is not None]
            for outer, inner in zip(own, own[1:], strict=False):
                self._require(self.f.compare("icmp sge", array.strides[outer], array.strides[inner]))
                self._require(self.f.compare("icmp sgt", array.strides[inner], i64(0)))

    def _require_elements(self) -> None:
        if any(IDENTITIES[op.name] is None for op in self.reductions):
            for length in self.dims:
                if not is_literal(length) or length.ref == "0":
                    self._require(self.f.compare("icmp ne", length, i64(0)))

    def _prepare_scalars(self) -> None:
        """Convert what is not an array once, before the loops."""
        for op in self.nest.members:
            if is_reduction(op):
                continue
            for value, dtype in zip(op.inputs, operand_types_of(op), strict=True):
                rep = self.code.reps.get(value)
                if value in self.leaves and value.type.ndim or rep is None:  # type: ignore[union-attr]
                    continue
                if (value, dtype) not in self.scalars:
                    element = self.code.operand(rep, value.type, dtype, self._unless)
                    self.scalars[value, dtype] = element

    def parallel(self, unit: bool) -> tuple[str, str]:
        """Metadata for an innermost loop: what its accesses bear, and what its branch bears.

        The accesses do not depend on those of other iterations. LLVM need not vectorise strided loops.
        """
        code = self.code
        group = code.metadata("distinct !{}")
        facts = [code.metadata(f'!{{!"llvm.loop.parallel_accesses", {group}}}')]
        if not unit:
            facts.append(code.metadata('!{!"llvm.loop.vectorize.enable", i1 false}'))
            facts.append(code.metadata('!{!"llvm.loop.unroll.disable"}'))
        loop = code.metadata(f"distinct !{{SELF, {', '.join(facts)}}}")
        return f", !llvm.access.group {group}", f", !llvm.loop {loop}"

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
        inside = {op.output for op in self.nest.members}
        keys: dict[Any, np.dtype[Any]] = {}
        for op in self.nest.members:
            dtypes = (None,) if is_reduction(op) else operand_types_of(op)
            for value, dtype in zip(op.inputs[: len(dtypes)], dtypes, strict=True):
                if (value, dtype) in self.scalars:
                    continue
                own: np.dtype[Any] = value.type.dtype  # type: ignore[union-attr]
                if op in self.calls and dtype is not None and own != dtype:
                    keys[value, dtype] = dtype  # converted for the call
                if value in inside and value not in self.nest.stored:
                    crosses = self.phase_of(value) < self.phases[op]
                    if crosses or (op in self.calls and own == dtype) or self.is_called(value):
                        keys[value] = own
        for op in self.calls:
            if op.output not in self.nest.stored:
                keys[op.output] = op.output.type.dtype  # type: ignore[union-attr]
        for key, dtype in keys.items():
            self.buffers[key] = self.f.alloca(f"[{BLOCK} x {memory_type(dtype)}]")

    # -- machine code ----------------------------------------------------------------------------------

    def _fast(self) -> list[Rep]:
        f = self.f
        outputs: dict[Value, ArrayRef] = {v: self._allocate(v) for v in self.nest.stored}
        accumulators = {op.output: self._start(op) for op in self.reductions}
        unit, flat = self._layout()
        if unit == TRUE:
            self._loops(outputs, accumulators, True, flat)
        else:
            one, other, done = f.label("unit"), f.label("strided"), f.label("done")
            f.branch(unit, one, other)
            f.at(one)
            self._loops(outputs, accumulators, True, flat)
            f.jump(done)
            f.at(other)
            self._loops(outputs, accumulators, False, FALSE)
            f.jump(done)
            f.at(done)
        results: list[Rep] = []
        for value in self.made:
            if value in outputs:
                results.append(outputs[value])
            else:
                results.append(Register(accumulators[value].result()))
        return results

    def _allocate(self, value: Value) -> ArrayRef:
        f, type = self.f, value.type
        assert isinstance(type, ArrayType)
        dims = tuple([i64(n) if n is not None else v for n, v in zip(type.shape, self.dims, strict=True)])
        shape = f.alloca("i64", len(dims))
        for k, length in enumerate(dims):
            f.store(length, f.offset(shape, i64(k), "i64"))
        arguments = (
            *(self.code.symbol("type.ndarray"), i32(len(dims)), shape, i32(type.dtype.num)),
            *(NULL, NULL, i32(0), i32(0), NULL),
        )
        pointer = f.call("ptr", "PyArray_New", arguments)
        self.code.fail_if(f.compare("icmp eq", pointer, NULL), self.nest.location)
        # held at once, so that a failure of the next allocation gives it back
        slot = self.code.hold(pointer)
        data = f.load("ptr", f.offset(pointer, i64(16)))
        strides = contiguous_strides(f, type.dtype.itemsize, dims)
        self.code.slot_take(slot)
        return ArrayRef(type, pointer, data, dims, strides, TRUE, TRUE, contiguous=True)

    def _start(self, op: Operation) -> Accumulator:
        return Accumulator(self.code, op)

    def _layout(self) -> tuple[V, V]:
        """Do all arrays have unit inner stride? Are they contiguous, so that all axes can run as one?"""
        f = self.f
        unit = flat = TRUE
        for array in self.leaves.values():
            if not array.type.ndim:
                continue
            own = [self.axis_of(array, axis) for axis in range(self.rank)]
            if any(k is None for k in own):
                flat = FALSE
            if array.contiguous or own[-1] is None:
                continue
            tight = f.compare("icmp eq", array.strides[own[-1]], i64(array.itemsize))
            unit = _both(f, unit, tight)
            expected = contiguous_strides(f, array.itemsize, array.dims)
            for k in range(array.type.ndim - 1):
                if flat != FALSE:
                    flat = _both(f, flat, f.compare("icmp eq", array.strides[k], expected[k]))
        if self.rank == 1:
            flat = FALSE
        return unit, flat

    def _loops(
        self, outputs: dict[Value, ArrayRef], accumulators: dict[Value, Accumulator], unit: bool, flat: V
    ) -> None:
        f = self.f
        bounds = list(self.dims)
        if flat != FALSE:
            total = bounds[0]
            for length in bounds[1:]:
                total = product(f, total, length)
            if flat == TRUE:
                bounds = [i64(1)] * (self.rank - 1) + [total]
            else:
                bounds = [f.select(flat, i64(1), n) for n in bounds[:-1]] + [
                    f.select(flat, total, bounds[-1])
                ]
        rows: dict[Value, tuple[ArrayRef, V]] = {
            v: (a, a.data) for v, a in {**self.leaves, **outputs}.items()
        }
        self._axis(0, bounds, rows, outputs, accumulators, unit)

    def _axis(
        self, axis: int, bounds: list[V], rows: Any, outputs: Any, accumulators: Any, unit: bool
    ) -> None:
        if axis == self.rank - 1:
            self._inner(bounds[-1], rows, outputs, accumulators, unit)
            return
        f = self.f

        def body(i: V) -> None:
            moved = {}
            for value, (array, pointer) in rows.items():
                own = self.axis_of(array, axis)
                if own is not None:
                    pointer = f.offset(pointer, product(f, i, array.strides[own]))
                moved[value] = (array, pointer)
            self._axis(axis + 1, bounds, moved, outputs, accumulators, unit)

        if bounds[axis] == i64(1):
            body(i64(0))
        else:
            counted_loop(f, i64(0), bounds[axis], i64(1), body)

    def _inner(self, length: V, rows: Any, outputs: Any, accumulators: Any, unit: bool) -> None:
        """The innermost axis, in blocks where a sum or one of NumPy's loops wants them."""
        pass_ = InnerAxis(self, rows, outputs, accumulators, unit)
        if not self.calls and not any(a.blocked for a in accumulators.values()):
            pass_.phase(0, i64(0), length)
            return
        f = self.f

        def block(first: V) -> None:
            end = f.binary("add", first, i64(BLOCK))
            end = f.select(f.compare("icmp slt", end, length), end, length)
            for accumulator in accumulators.values():
                accumulator.begin_block()
            for number in range(max(self.phases.values(), default=0) + 1):
                pass_.phase(number, first, end)
            for accumulator in accumulators.values():
                accumulator.end_block()

        counted_loop(f, i64(0), length, i64(BLOCK), block)

    # -- NumPy -----------------------------------------------------------------------------------------

    def _slow(self) -> list[Rep]:
        inputs = list(self.nest.used())
        function = one_after_another(self.nest.members, inputs, self.made)
        boxed = [(self.code.reps[v], v.type) for v in inputs]
        return self.code.call_python(function, boxed, {}, [v.type for v in self.made], None)


def one_after_another(
    members: Sequence[Operation], inputs: Sequence[Value], results: Sequence[Value]
) -> Callable[..., Any]:
    """The nest as a Python function: each operation's kernel, in program order."""

    def nest(*arguments: Any) -> Any:
        values = dict(zip(inputs, arguments, strict=True))
        for op in members:
            try:
                values[op.output] = REGISTRY[op.name].kernel(*[values[v] for v in op.inputs], **op.attributes)  # type: ignore[misc]
            except BaseException as error:  # noqa: BLE001 - it goes on, with the user's line
                raise located(error, op.location) from error.__cause__
        found = tuple([values[v] for v in results])
        return found if len(found) != 1 else found[0]

    return nest


def _numpy_loops(nest: Nest) -> dict[Operation, tuple[int, int]]:
    """The members that NumPy's own loops compute, with the loops' addresses."""
    places = {op: numpy_loop(op, operand_types_of(op)) for op in nest.members if not is_reduction(op)}
    return {op: place for op, place in places.items() if place is not None}


def _phases(nest: Nest, calls: dict[Operation, tuple[int, int]]) -> dict[Operation, int]:
    """For each member the phase in which it runs: after all calls that it depends on."""
    phases: dict[Operation, int] = {}
    for op in nest.members:
        makers = [v.owner for v in op.inputs if v.owner in phases]
        phases[op] = max([phases[m] + (m in calls) for m in makers if m is not None], default=0)
    return phases


def _both(f: FunctionWriter, a: V, b: V) -> V:
    if a == TRUE:
        return b
    return a if b == TRUE else f.binary("and", a, b)


__all__ = ["array_ref", "emit", "one_after_another"]
