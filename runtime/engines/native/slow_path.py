"""The cold way of an operation: where machine code does not apply, its kernel is called.

An int that overflows, an index out of bounds, a division by zero: the kernel raises, with the words that
it has on any engine. Nobody sees that in the graph, so each such way keeps a tally, which `explain()` shows.

A nest as a Python function: NumPy's kernels, one operation after the other.
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from runtime.engines.native import jit
from runtime.engines.native.calls import Calls
from runtime.engines.native.ir import FALSE, Label, V
from runtime.engines.native.loops import Nest
from runtime.engines.native.values import Rep, component_types, components, from_components
from runtime.engines.tracebacks import located
from runtime.graph import Location, Operation, Value
from runtime.ops.definition import REGISTRY


class SlowPath:
    """The cold way of one operation: its kernel is called where machine code does not apply."""

    def __init__(
        self,
        code: Calls,
        op: Operation,
        call: Callable[[], list[Rep]] | None = None,
        before: Sequence[Nest] = (),
    ) -> None:
        """``call`` writes something else than the call of the kernel, where its work is half done.

        ``before``: what may have raised first, see `loops.Single`.
        """
        self.code = code
        self.before = before
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
                for nest in self.before:
                    inputs = list(nest.used())
                    boxed = [(code.reps[v], v.type) for v in inputs]
                    function = one_after_another(nest.members, inputs, ())
                    code.call_python(function, boxed, {}, [], None)
                code.call_kernel(self.op, raises=True)
        if self.calling is None:
            return fast
        join, fast_end = f.label("join"), f.block
        f.jump(join)
        f.at(self.calling)
        code.own_lent_aside()
        if before is not None:
            before()
        if self.call is None:
            slow = code.call_kernel(self.op, tally=tally_of(code, [self.op]))
        else:
            slow = self.call()
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


# -- tallies -------------------------------------------------------------------------------------------


_NOW = """\
declare i64 @llvm.readcyclecounter()
define i64 @now() {
  %ticks = call i64 @llvm.readcyclecounter()
  ret i64 %ticks
}
"""


class SlowWay:
    """The tally of one way: machine code counts its calls, and the ticks of the processor's clock in them."""

    def __init__(self, operations: tuple[str, ...], location: Location | None) -> None:
        self.operations = operations
        self.location = location
        self._tally = (ctypes.c_int64 * 2)()

    def address(self) -> int:
        return ctypes.addressof(self._tally)

    @property
    def calls(self) -> int:
        return self._tally[0]

    @property
    def seconds(self) -> float:
        return self._tally[1] * seconds_of_a_tick()

    def __str__(self) -> str:
        place = "" if self.location is None else f"line {self.location.line}: "
        names = ", ".join(dict.fromkeys(self.operations))
        return f"{place}{names} ran NumPy's kernels {self.calls:,} times, {self.seconds * 1e3:.3g} ms in all"


@functools.cache
def seconds_of_a_tick() -> float:
    library = jit.jit().compile_quickly(_NOW, {}, ["now"])
    now = ctypes.CFUNCTYPE(ctypes.c_int64)(library.address("now"))
    first, began = now(), time.perf_counter()
    while time.perf_counter() - began < 2e-3:
        pass
    ticks = now() - first
    return (time.perf_counter() - began) / ticks if ticks else 0.0


def tally_of(code: Calls, operations: Sequence[Operation]) -> V:
    """Where the calls are counted that leave machine code at these operations."""
    way = SlowWay(tuple([op.name for op in operations]), operations[-1].location)
    code.slow_ways.append(way)
    label = f"tally.{len(code.slow_ways)}"
    code.symbols[label] = way.address()
    code.declare(f"@{label} = external global i64")
    return V("ptr", f"@{label}")


if TYPE_CHECKING:
    pass


def one_after_another(
    members: Sequence[Operation], inputs: Sequence[Value], results: Sequence[Value]
) -> Callable[..., Any]:
    """The nest as a Python function: each operation's kernel, in program order."""

    def nest(*arguments: Any) -> Any:
        values = dict(zip(inputs, arguments, strict=True))
        for op in members:
            try:
                found = REGISTRY[op.name].kernel(*[values[v] for v in op.inputs], **op.attributes)  # type: ignore[misc]
            except BaseException as error:  # noqa: BLE001 - it goes on, with the user's line
                raise located(error, op.location) from error.__cause__
            values |= dict.fromkeys(op.outputs, found)
        made = tuple([values[v] for v in results])
        return made if len(made) != 1 else made[0]

    return nest
