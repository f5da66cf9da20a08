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

import functools
import math
from collections.abc import Sequence
from typing import Any

from runtime.engines.native import dots, looks, regions
from runtime.engines.native.accumulators import Accumulator, ArgAccumulator, Combiner, PairAccumulator
from runtime.engines.native.arrays import new_array, once
from runtime.engines.native.elements import (
    memory_type,
    store,
)
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.inner_axis import TINY, InnerAxis
from runtime.engines.native.ir import FALSE, TRUE, FunctionWriter, Label, V, counted_loop, i64
from runtime.engines.native.loops import Nest
from runtime.engines.native.members import (
    LITTLE,
    is_reduction,
    reduced_axes,
    reduction_form,
    writes_itself,
)
from runtime.engines.native.nest_plan import NestPlan
from runtime.engines.native.slow_path import one_after_another, tally_of
from runtime.engines.native.ufunc_loops import BLOCK
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
from runtime.graph import Operation, Value
from runtime.types import ArrayType, Shape

#: so many elements of a long nest are done before it looks whether to look
CHUNK = 1 << 13
#: what NumPy's loop of a function takes for an element, in operations of machine code
LONG = 8
#: a nest of no more operations on elements may be unrolled, ...
SHORT = 1024

#: where a loop begins and ends
_Ends = tuple[V, V]


def emit(code: Codegen, nest: Nest) -> None:
    """Write a nest; afterwards its stored arrays and reductions are bound."""
    NestEmitter(code, nest).emit()


class NestEmitter(NestPlan):
    """Writes a nest."""

    block: _Ends | None = None  # of iterations, in what several threads run
    is_shared = False

    def emit(self) -> None:
        f = self.f
        self.code.has_short_loops |= self._may_be_unrolled()
        self._find_targets()
        self._find_gathers()
        self._find_lengths()
        self._find_triangles()
        self._require_product()
        self._require_layout()
        self._require_elements()
        self._require_aligned()
        self._prepare_scalars()
        self._require_apart()
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
                parts.append(self.f.merge(join, type, [(x, fast[1]), (y, slow[1])]))
            merged.append(from_components(value.type, tuple(parts)))
        return merged

    # -- machine code ----------------------------------------------------------------------------------

    def _fast(self) -> list[Rep]:
        f = self.f
        if (alone := self.dot_alone()) is not None:
            looks.count(self.code, self.dims[0])
            name, (a, b) = self.nest.members[0].name, alone
            return [Register(dots.dot(self.code, name, a, b, self.dims[0]))]
        arrays = [v for v in self.made if isinstance(v.type, ArrayType)]
        held: list[int] = []  # so that a failing allocation, or a signal, gives the others back
        results: dict[Value, ArrayRef] = {v: self._allocate(v, held) for v in arrays}
        self.is_shared = self._may_be_shared()
        is_long = self.is_shared or looks.work_of_nest(self.nest) is None
        with f.part(), looks.without_gil(self.code, is_long):
            made = self._over_elements(results)
        if (work := looks.work_of_nest(self.nest)) is not None:
            looks.count(self.code, i64(work))
        elif self.rank == 1 or self.is_shared:
            elements = functools.reduce(functools.partial(product, f), self.dims)
            looks.count(self.code, product(f, elements, i64(len(self.nest.members))))
        for slot in held:
            self.code.slot_take(slot)
        return made

    def _over_elements(self, results: dict[Value, ArrayRef]) -> list[Rep]:
        outputs = {v: results[v] for v in self.nest.stored}
        self.columns = {}
        self.rows = {}
        accumulators: dict[Value, Any] = {}
        for op in self.reductions:
            if reduction_form(op) == "columns":
                self.columns[op.output] = self._start_columns(op, results[op.output])
                continue
            if reduction_form(op) == "rows":
                self.rows[op] = _spread(results[op.output], op, self.nest.shape)
            accumulators[op.output] = self._accumulator(op)
        unit, flat = self._layout()
        if all(writes_itself(op) for op in self.nest.members):
            return []  # the elements are there already: `x[a:b] += y` ends with `x[a:b] = x[a:b]`
        if self.is_shared:
            self._share(outputs, accumulators, unit, flat)
        else:
            self._forms(outputs, accumulators, unit, flat)
        return [results[v] if v in results else Register(accumulators[v].result()) for v in self.made]

    def _may_be_shared(self) -> bool:
        """May several threads take parts of the first axis, or of all axes as one, and is it worth that?

        In a long program, of which much runs once, a nest is known to be large, or has one function less.
        """
        work = looks.known_work(self.nest)
        cost = LONG if self.calls else 1
        is_worth = not self.code.is_long if work is None else cost * work >= regions.LEAST
        forms = {reduction_form(op) for op in self.reductions}
        fits = forms <= {"rows"} and not self.scatters and not self._is_little()
        return is_worth and fits and self.code.region is None

    def _share(self, outputs: Any, accumulators: Any, unit: V, flat: V) -> None:
        """Write the loops for several threads."""
        f = self.f
        multiply = functools.partial(product, f)
        rest = functools.reduce(multiply, self.dims[1:], i64(1))
        total = multiply(self.dims[0], rest)
        count, each = (self.dims[0], rest) if flat == FALSE else (total, i64(1))
        if flat not in (TRUE, FALSE):
            count, each = f.select(flat, total, self.dims[0]), f.select(flat, i64(1), rest)
        size = i64(CHUNK) if each == i64(1) else f.binary("add", f.binary("sdiv", i64(CHUNK), each), i64(1))
        cost = i64(len(self.nest.members) + LONG * len(self.calls))

        def write(first: V, last: V) -> None:
            self.block = first, last
            self._forms(outputs, accumulators, unit, flat)
            self.block = None

        regions.emit(self.code, count, size, multiply(total, cost), self.nest.location, write)

    def _forms(self, outputs: Any, accumulators: Any, unit: V, flat: V) -> None:
        f = self.f
        if unit == TRUE:
            self._loops(outputs, accumulators, True, flat)
        elif self._has_strides():
            self._loops(outputs, accumulators, False, flat)
        elif self._is_little():  # which vectors would not gain much
            self._loops(outputs, accumulators, False, FALSE)
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

    def _has_strides(self) -> bool:
        """Is all done by NumPy's loops, which take any steps?"""
        return len(self.calls) == len(self.nest.members) and not self.buffers

    def _may_be_unrolled(self) -> bool:
        """Is all of it, or its innermost loop, known to be short?"""
        inner = self.nest.shape[-1] if self.nest.shape else None
        limits = ((looks.known_work(self.nest), SHORT), (inner, LITTLE))
        return any(n is not None and n <= most for n, most in limits)

    def _is_little(self) -> bool:
        """Few complex numbers?"""
        count = math.prod(n if n is not None else LITTLE + 1 for n in self.nest.shape)
        arrays = (*self.leaves.values(), *self.targets.values())
        return count <= LITTLE and any(a.type.dtype.kind == "c" for a in arrays)

    def _accumulator(self, op: Operation) -> Any:
        if op.has("place"):
            return ArgAccumulator(self.code, op)
        count = self.chosen.get(op, i64(1))
        for axis in () if op in self.chosen else reduced_axes(op):
            count = product(self.f, count, self.dims[axis])
        kind = op.output.dtype.kind
        return (PairAccumulator if kind == "c" else Accumulator)(self.code, op, count)

    def _start_columns(self, op: Operation, out: ArrayRef) -> tuple[Combiner, ArrayRef]:
        """Fill the result with the identity; rows are then combined into it one after the other."""
        f = self.f
        combiner = Combiner(self.code, op)
        total = i64(1)
        for length in out.dims:
            total = product(f, total, length)
        element = memory_type(combiner.dtype)
        counted_loop(
            f, i64(0), total, i64(1), lambda i: store(f, combiner.identity(), f.offset(out.data, i, element))
        )
        return combiner, _spread(out, op, self.nest.shape)

    def _allocate(self, value: Value, held: list[int]) -> ArrayRef:
        type, maker = value.type, value.owner
        assert isinstance(type, ArrayType)
        lengths = self.dims
        if maker is not None and is_reduction(maker):
            reduced = reduced_axes(maker)
            keep = bool(maker.attributes.get("keepdims"))
            lengths = [
                i64(1) if k in reduced else n for k, n in enumerate(lengths) if keep or k not in reduced
            ]
        dims = tuple([i64(n) if n is not None else v for n, v in zip(type.shape, lengths, strict=True)])
        made = new_array(self.code, type, dims, self.nest.location)
        held.append(self.code.hold(made.holder))
        return made

    def _layout(self) -> tuple[V, V]:
        """Do all arrays have unit inner stride? Are they contiguous, so that all axes can run as one?"""
        f = self.f
        unit = flat = TRUE
        if self.rows or self.columns or self.beside:
            flat = FALSE
        for array in (*self.leaves.values(), *self.targets.values(), *self.beside.values()):
            if not array.type.ndim:
                continue
            own = [self.axis_of(array, axis) for axis in range(self.rank)]
            if any(k is None for k in own):
                flat = FALSE
            if array.contiguous or own[-1] is None:
                continue
            if array.turned:
                flat = FALSE
            step = i64(-array.itemsize if array.turned else array.itemsize)
            if array.strides[own[-1]] != step:
                unit = _both(f, unit, f.compare("icmp eq", array.strides[own[-1]], step))
            if flat == FALSE:
                continue
            expected = contiguous_strides(f, array.itemsize, array.dims)
            for k in range(array.type.ndim - 1 if not array.turned else 0):
                flat = _both(f, flat, f.compare("icmp eq", array.strides[k], expected[k]))
        return unit, FALSE if self.rank == 1 else _both(f, unit, flat)

    def _loops(
        self, outputs: dict[Value, ArrayRef], accumulators: dict[Value, Accumulator], unit: bool, flat: V
    ) -> None:
        f = self.f
        bounds = [(i64(0), n) for n in self.dims]
        if self.block is not None:
            bounds[0] = self.block
        if flat != FALSE:
            whole = self.block or (i64(0), functools.reduce(functools.partial(product, f), self.dims))
            at_once = [(i64(0), i64(1))] * (self.rank - 1) + [whole]
            bounds = [
                ends if flat == TRUE else (f.select(flat, ends[0], own[0]), f.select(flat, ends[1], own[1]))
                for ends, own in zip(at_once, bounds, strict=True)
            ]
        columns = {v: a for v, (_, a) in self.columns.items()}
        self._find_looks([end for _, end in bounds], flat)
        arrays: dict[Any, ArrayRef] = {
            **self.leaves,
            **outputs,
            **self.targets,
            **self.beside,
            **self.rows,
            **columns,
        }
        rows = {key: (a, a.data) for key, a in arrays.items()}
        self._axis(0, bounds, rows, outputs, accumulators, unit)

    def _axis(
        self, axis: int, bounds: list[_Ends], rows: Any, outputs: Any, accumulators: Any, unit: bool
    ) -> None:
        f = self.f
        ready = [op for op in self.rows if min(reduced_axes(op)) == axis]
        for op in ready:
            accumulators[op.output].start()
        self._deeper(axis, bounds, rows, outputs, accumulators, unit)
        for op in ready:
            store(f, accumulators[op.output].result(), rows[op][1])

    def _deeper(
        self, axis: int, bounds: list[_Ends], rows: Any, outputs: Any, accumulators: Any, unit: bool
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
            if axis == self._looking:
                self._count([end for _, end in bounds[axis + 1 :]])

        if bounds[axis] == (i64(0), i64(1)):
            body(i64(0))
        else:
            is_tiny = _are_few([end for _, end in bounds[axis:]], TINY)
            counted_loop(f, *bounds[axis], i64(1), body, "" if is_tiny else once(self.code))

    def _inner(self, ends: _Ends, rows: Any, outputs: Any, accumulators: Any, unit: bool) -> None:
        """The innermost axis, in blocks where a sum or one of NumPy's loops wants them."""
        pass_ = InnerAxis(self, rows, outputs, accumulators, unit)
        f, (start, length) = self.f, ends
        in_blocks = bool(self.buffers) or any(a.blocked for a in accumulators.values())
        phases = range(max(self.phases.values(), default=0) + 1)
        if not in_blocks and not self._in_chunks:
            for number in phases:
                pass_.phase(number, start, length)
            return
        size = BLOCK if in_blocks else CHUNK

        def block(first: V) -> None:
            following = f.binary("add", first, i64(size))
            more = f.compare("icmp slt", following, length)
            end = f.select(more, following, length)
            for accumulator in accumulators.values():
                accumulator.begin_block()
            for number in phases:
                pass_.phase(number, first, end)
            for accumulator in accumulators.values():
                accumulator.end_block()
            if self._in_chunks:
                between, fine = f.label("between"), f.label("fine")
                f.branch(more, between, fine, likely=False)
                f.at(between)
                self._count([i64(size)])
                f.jump(fine)
                f.at(fine)

        counted_loop(f, start, length, i64(size), block)

    def _find_looks(self, bounds: list[V], flat: V) -> None:
        """An iteration of which axis counts as work, and whether the innermost one looks on its way.

        The innermost axis that is long together with those in it, but not the last one: most rows are short.
        Or one around it, whose iterations are known to be short, too.
        """
        self._looking, self._in_chunks = None, False
        if looks.work_of_nest(self.nest) is not None or self.block is not None:
            return
        axis = self.rank - 1
        steps = _known(bounds[axis])
        while steps < BLOCK and axis:
            axis -= 1
            steps *= _known(bounds[axis])
        self._looking = min(axis, self.rank - 2)
        while self._looking > 0 and _are_few(bounds[self._looking :]):
            self._looking -= 1
        self._in_chunks = axis == self.rank - 1 and (self.rank == 1 or flat != FALSE)

    def _count(self, lengths: Sequence[V]) -> None:
        elements = functools.reduce(functools.partial(product, self.f), lengths)
        work = product(self.f, elements, i64(len(self.nest.members)))
        looks.count_and_look(self.code, work, self.nest.location)

    # -- NumPy -----------------------------------------------------------------------------------------

    def _slow(self) -> list[Rep]:
        inputs = list(self.nest.used())
        function = one_after_another(self.nest.kernels or self.nest.members, inputs, self.made)
        boxed = [(self.code.reps[v], v.type) for v in inputs]
        tally, outputs = (
            tally_of(self.code, self.nest.kernels or self.nest.members),
            [v.type for v in self.made],
        )
        return self.code.call_python(function, boxed, {}, outputs, None, tally=tally)


def _spread(out: ArrayRef, op: Operation, shape: Shape) -> ArrayRef:
    """The result of a reduction with the nest's rank: it does not move along the reduced axes."""
    reduced = reduced_axes(op)
    keep = bool(op.attributes.get("keepdims"))
    own = iter(range(out.type.ndim))
    places = [next(own) if keep or k not in reduced else None for k in range(len(shape))]
    full = tuple([1 if k in reduced else n for k, n in enumerate(shape)])
    dims = tuple([i64(1) if k in reduced or p is None else out.dims[p] for k, p in enumerate(places)])
    strides = tuple([i64(0) if k in reduced or p is None else out.strides[p] for k, p in enumerate(places)])
    type = ArrayType(out.type.dtype, full)
    return ArrayRef(type, out.holder, out.data, dims, strides, TRUE, FALSE, contiguous=True)


def _are_few(lengths: Sequence[V], most: int = CHUNK) -> bool:
    return all(map(is_literal, lengths)) and math.prod(map(_known, lengths)) <= most


def _known(length: V) -> int:
    return int(length.ref) if is_literal(length) else BLOCK


def _both(f: FunctionWriter, a: V, b: V) -> V:
    if a == TRUE or b == FALSE:
        return b
    return a if b == TRUE else f.binary("and", a, b)


__all__ = ["array_ref", "emit", "one_after_another"]
