"""Running results of reductions.

Floating-point sums run in blocks, whose sums are added with compensation (Neumaier): at least as exact as
NumPy's pairwise sums, and LLVM may vectorise inside a block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.engines.native.elements import BOOL, Element, LlvmElements, convert, register_type
from runtime.engines.native.ir import FALSE, TRUE, V, floating, integer
from runtime.engines.native.lower import IDENTITIES
from runtime.graph import Operation
from runtime.ops.definition import REGISTRY

if TYPE_CHECKING:
    from runtime.engines.native.codegen import Codegen


class Accumulator:
    """The running result of a reduction, in a register."""

    def __init__(self, code: Codegen, op: Operation) -> None:
        f = self.f = code.f
        self.op = op
        self.declare = code.declare
        self.dtype: np.dtype[Any] = op.output.type.dtype  # type: ignore[union-attr]
        self.type = register_type(self.dtype)
        self.blocked = op.name == "sum" and self.dtype.kind == "f"
        self.at = f.alloca(self.type)
        f.store(self._identity(), self.at)
        if self.blocked:
            self.total = f.alloca(self.type)
            self.correction = f.alloca(self.type)
            f.store(self._identity(), self.total)
            f.store(floating(self.type, 0.0), self.correction)

    def _identity(self) -> V:
        name, dtype = self.op.name, self.dtype
        start = IDENTITIES[name]
        if start is None:  # max and min: any first element wins
            lowest = name == "max"
            if dtype.kind == "f":
                return floating(self.type, -np.inf if lowest else np.inf)
            if dtype == BOOL:
                return FALSE if lowest else TRUE
            info = np.iinfo(dtype)
            return integer(self.type, info.min if lowest else info.max)
        if dtype.kind == "f":
            return floating(self.type, float(start))
        return V("i1", "true" if start else "false") if dtype == BOOL else integer(self.type, start)

    def take(self, element: Element) -> None:
        f = self.f
        x = convert(f, element, self.dtype)
        now = f.load(self.type, self.at)
        name = self.op.name
        if self.dtype.kind == "f" and name in ("sum", "prod"):
            found = f.binary("fadd reassoc" if name == "sum" else "fmul reassoc", now, x.value)
        elif self.dtype.kind == "f" and name in ("max", "min"):
            function = f"llvm.{name}imum.{'f64' if self.type == 'double' else 'f32'}"
            self.declare(f"declare {self.type} @{function}({self.type}, {self.type})")
            found = f.call(self.type, function, (now, x.value))
        else:
            b = LlvmElements(f, self.declare, self.op.attributes, self.dtype)
            found = REGISTRY[name].native(b, Element(now, self.dtype), x).value  # type: ignore[misc]
        f.store(found, self.at)

    def begin_block(self) -> None:
        if self.blocked:
            self.f.store(self._identity(), self.at)

    def end_block(self) -> None:
        """Add the block to the total; what rounding lost goes to the correction (Neumaier)."""
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
        f = self.f
        if not self.blocked:
            return Element(f.load(self.type, self.at), self.dtype)
        total, correction = f.load(self.type, self.total), f.load(self.type, self.correction)
        corrected = f.binary("fadd", total, correction)
        # no correction keeps -0.0; an infinite total has NaN as its correction
        nothing = f.compare("fcmp ueq", correction, floating(self.type, 0.0))
        return Element(f.select(nothing, total, corrected), self.dtype)
