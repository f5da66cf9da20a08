"""The cold way of an operation: where machine code does not apply, its kernel is called.

An int that overflows, an index out of bounds, a division by zero: the kernel raises, with the words that
it has on any engine.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.engines.native.calls import Calls
from runtime.engines.native.ir import FALSE, Label, V
from runtime.engines.native.values import Rep, component_types, components, from_components
from runtime.graph import Operation


class SlowPath:
    """The cold way of one operation: its kernel is called where machine code does not apply."""

    def __init__(self, code: Calls, op: Operation, call: Callable[[], list[Rep]] | None = None) -> None:
        """``call`` writes something else than the call of the kernel, where its work is half done."""
        self.code = code
        self.op = op
        self.call = call
        self.raising: Label | None = None
        self.calling: Label | None = None

    def jump_if(self, condition: V, raises: bool = False) -> None:
        """Where the condition holds, the kernel decides. ``raises``: it is known to raise."""
        f = self.code.f
        if condition == FALSE:
            return
        if raises:
            self.raising = target = self.raising or f.label("raise")
        else:
            self.calling = target = self.calling or f.label("slow")
        go_on = f.label("fast")
        f.branch(condition, target, go_on, likely=False)
        f.at(go_on)

    def finish(
        self,
        fast: list[Rep],
        before: Callable[[], None] | None = None,
        after: Callable[[list[Rep]], None] | None = None,
    ) -> list[Rep]:
        """Write the cold blocks; the results of whichever way was taken.

        ``before`` and ``after`` write what stands around the call of the kernel; ``after`` has its results.
        """
        f, code = self.code.f, self.code
        if self.raising is not None:
            with f.aside(self.raising):
                code.call_kernel(self.op, raises=True)
        if self.calling is None:
            return fast
        join, fast_end = f.label("join"), f.block
        f.jump(join)
        f.at(self.calling)
        code.own_lent_aside()
        if before is not None:
            before()
        slow = code.call_kernel(self.op) if self.call is None else self.call()
        if after is not None:
            after(slow)
        slow_end = f.block
        f.jump(join)
        f.at(join)
        merged = []
        for value, a, b in zip(self.op.outputs, fast, slow, strict=True):
            parts = []
            for type, x, y in zip(component_types(value.type), components(a), components(b), strict=True):
                parts.append(f.merge(join, type, [(x, fast_end), (y, slow_end)]))
            merged.append(from_components(value.type, tuple(parts)))
        return merged
