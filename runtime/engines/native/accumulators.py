"""Running results of reductions.

Floating-point sums run in blocks, whose sums are added with compensation (Neumaier): at least as exact as
NumPy's pairwise sums, and LLVM may vectorise inside a block.
"""

from __future__ import annotations

import numpy as np

from runtime.engines.native import complex_elements as pairs
from runtime.engines.native.elements import BOOL, INT64, Element, LlvmElements, convert, register_type
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import FALSE, TRUE, V, floating, i64, integer
from runtime.engines.native.members import identity_of
from runtime.graph import Operation
from runtime.ops.definition import REGISTRY


class Combiner:
    """What a reduction starts with, and how it takes one more element."""

    def __init__(self, code: Codegen, op: Operation, dtype: np.dtype | None = None) -> None:
        self.f = code.f
        self.op = op
        self.of = REGISTRY[op.name].combines
        self.declare = code.declare
        #: what LLVM may do with sums that need no order
        self.free = " reassoc" if REGISTRY[op.name].family == "reduction" else " reassoc contract"
        self.dtype: np.dtype = dtype or op.output.dtype
        self.type = register_type(self.dtype)

    def identity(self) -> Element:
        start = identity_of(self.op)
        if start is None:  # any first element wins
            worst = _lowest if self.of == "maximum" else _highest
            return Element(worst(self.dtype), self.dtype)
        b = LlvmElements(self.f, self.declare, {}, self.dtype)
        return b.constant(start, self.dtype)

    def combine(self, now: Element, element: Element, in_order: bool) -> Element:
        """``in_order``: floating-point additions must not be regrouped."""
        f = self.f
        x = convert(f, element, self.dtype)
        if self.dtype.kind == "f" and self.of in ("add", "multiply"):
            operation = ("fadd" if self.of == "add" else "fmul") + ("" if in_order else self.free)
            return Element(f.binary(operation, now.value, x.value), self.dtype)
        if self.dtype.kind == "f" and self.of in ("maximum", "minimum"):
            function = f"llvm.{self.of}.{'f64' if self.type == 'double' else 'f32'}"
            self.declare(f"declare {self.type} @{function}({self.type}, {self.type})")
            return Element(f.call(self.type, function, (now.value, x.value)), self.dtype)
        b = LlvmElements(f, self.declare, self.op.attributes, self.dtype)
        native = REGISTRY[self.of].native
        assert native is not None
        return native(b, now, x)


class Accumulator(Combiner):
    """The running result in a register: of everything, or of one row."""

    def __init__(self, code: Codegen, op: Operation, count: V, dtype: np.dtype | None = None) -> None:
        super().__init__(code, op, dtype)
        f = self.f
        self.count = count  # of elements that go into one result
        self.blocked = self.of == "add" and self.dtype.kind == "f"
        self.at = f.alloca(self.type)
        if self.blocked:
            self.total, self.correction = f.alloca(self.type), f.alloca(self.type)
        self.start()

    def start(self) -> None:
        f, identity = self.f, self.identity().value
        f.store(identity, self.at)
        if self.blocked:
            f.store(identity, self.total)
            f.store(floating(self.type, 0.0), self.correction)

    def take(self, element: Element, position: V, chosen: V | None = None) -> None:
        """``chosen``: whether the element counts."""
        now = Element(self.f.load(self.type, self.at), self.dtype)
        if chosen is not None:
            x = convert(self.f, element, self.dtype).value
            element = Element(self.f.select(chosen, x, self.identity().value), self.dtype)
        self.f.store(self.combine(now, element, False).value, self.at)

    def begin_block(self) -> None:
        if self.blocked:
            self.f.store(self.identity().value, self.at)

    def end_block(self) -> None:
        """Add the block to the total; what rounding lost goes to the correction."""
        if not self.blocked:
            return
        f = self.f
        block, total = f.load(self.type, self.at), f.load(self.type, self.total)
        found = f.binary("fadd", total, block)
        b = LlvmElements(f, self.declare, {}, self.dtype)
        large = b.ge(b.abs(Element(total, self.dtype)), b.abs(Element(block, self.dtype))).value
        big, small = f.select(large, total, block), f.select(large, block, total)
        lost = f.binary("fadd", f.binary("fsub", big, found), small)
        f.store(f.binary("fadd", f.load(self.type, self.correction), lost), self.correction)
        f.store(found, self.total)

    def result(self) -> Element:
        found = self.sum()
        if self.op.has("quotient"):
            count = self.f.convert("sitofp", self.count, self.type)
            return Element(self.f.binary("fdiv", found.value, count), self.dtype)
        return found

    def sum(self) -> Element:
        f = self.f
        if not self.blocked:
            return Element(f.load(self.type, self.at), self.dtype)
        total, correction = f.load(self.type, self.total), f.load(self.type, self.correction)
        corrected = f.binary("fadd", total, correction)
        # an infinite total has NaN as its correction
        nothing = f.compare("fcmp ueq", correction, floating(self.type, 0.0))
        return Element(f.select(nothing, total, corrected), self.dtype)


class PairAccumulator:
    """The sum, or mean, of complex numbers: two sums."""

    blocked = True

    def __init__(self, code: Codegen, op: Operation, count: V) -> None:
        self.f = code.f
        self.dtype: np.dtype = op.output.dtype
        self.part = pairs.PART_DTYPES[self.dtype.name]
        self.sums = [Accumulator(code, op, count, self.part) for _ in range(2)]

    def start(self) -> None:
        for each in self.sums:
            each.start()

    def take(self, element: Element, position: V, chosen: V | None = None) -> None:
        both = pairs.parts(self.f, convert(self.f, element, self.dtype).value)
        for each, number in zip(self.sums, both, strict=True):
            each.take(Element(number, self.part), position, chosen)

    def begin_block(self) -> None:
        for each in self.sums:
            each.begin_block()

    def end_block(self) -> None:
        for each in self.sums:
            each.end_block()

    def result(self) -> Element:
        """A mean is a quotient of complex numbers, whose infinities are not those of its parts."""
        f, (one, other) = self.f, self.sums
        found = pairs.pair(f, one.sum().value, other.sum().value)
        if one.op.has("quotient"):
            count = pairs.pair(f, f.convert("sitofp", one.count, one.type), floating(one.type, 0.0))
            found = pairs.divide(f, one.declare, found, count)
        return Element(found, self.dtype)


class ArgAccumulator:
    """``argmax`` and ``argmin`` of one axis: the first of the best, or the first NaN."""

    blocked = False

    def __init__(self, code: Codegen, op: Operation) -> None:
        f = self.f = code.f
        self.declare = code.declare
        self.largest = op.name == "argmax"
        self.dtype: np.dtype = op.inputs[0].dtype
        self.best = f.alloca(register_type(self.dtype))
        self.place = f.alloca("i64")
        self.start()

    def start(self) -> None:
        self.f.store(_lowest(self.dtype) if self.largest else _highest(self.dtype), self.best)
        self.f.store(i64(0), self.place)

    def take(self, element: Element, position: V, chosen: V | None = None) -> None:
        f = self.f
        b = LlvmElements(f, self.declare, {}, BOOL)
        best = Element(f.load(register_type(self.dtype), self.best), self.dtype)
        better = b.gt(element, best) if self.largest else b.lt(element, best)
        if self.dtype.kind == "f":
            known = b.eq(best, best)  # a NaN stays
            better = b.and_(known, b.or_(better, b.ne(element, element)))
        place = f.load("i64", self.place)
        f.store(f.select(better.value, element.value, best.value), self.best)
        f.store(f.select(better.value, position, place), self.place)

    def begin_block(self) -> None: ...

    def end_block(self) -> None: ...

    def result(self) -> Element:
        return Element(self.f.load("i64", self.place), INT64)


def _lowest(dtype: np.dtype) -> V:
    if dtype.kind == "f":
        return floating(register_type(dtype), -np.inf)
    return FALSE if dtype == BOOL else integer(register_type(dtype), np.iinfo(dtype).min)


def _highest(dtype: np.dtype) -> V:
    if dtype.kind == "f":
        return floating(register_type(dtype), np.inf)
    return TRUE if dtype == BOOL else integer(register_type(dtype), np.iinfo(dtype).max)
