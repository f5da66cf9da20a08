"""What steps work on: one list of registers, which nested blocks share, and who has which of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from runtime.engines.tracebacks import located
from runtime.graph import Block, Graph, Location, Value
from runtime.graph.liveness import last_uses
from runtime.types import NumberType, ScalarType

Registers: TypeAlias = "list[Any]"
Step: TypeAlias = Callable[[Registers], None]


def take(r: Registers, results: list[int], own: list[int]) -> list[Any]:
    """The values that a block yields; its registers let go of them."""
    values = [r[k] for k in results]
    for k in own:
        r[k] = None
    return values


def put(r: Registers, registers: Sequence[int | None], values: list[Any]) -> None:
    for k, value in zip(registers, values, strict=True):
        if k is not None:
            r[k] = value


class Code:
    """The steps of one block, and the user's line of each. A step with nested blocks has none: what is
    raised in them has its line already."""

    __slots__ = ("lines", "steps")

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.lines: dict[Step, Location | None] = {}

    def run(self, r: Registers) -> None:
        step: Any = None
        try:
            for step in self.steps:
                step(r)
        except BaseException as error:
            if step in self.lines:
                raise located(error, self.lines[step])  # noqa: B904
            raise


class Allocation:
    """Gives each value of a graph a register."""

    def __init__(self, graph: Graph, keeps: bool = False) -> None:
        """``keeps``: steps empty no registers."""
        self.liveness = last_uses(graph)
        self.keeps = keeps
        self.register_of: dict[Value, int] = {}
        self.constants: dict[int, Any] = {}
        self.landings: dict[int, list[int | None]] = {}  # region -> parameters of its handler
        self.scratch = 0  # register 0 takes what nobody wants

    def register(self, value: Value) -> int:
        return self.register_of.setdefault(value, len(self.register_of) + 1)

    def registers(self, values: Sequence[Value]) -> list[int]:
        return [self.register(value) for value in values]

    def dying(self, values: Sequence[Value]) -> list[int]:
        """The registers to empty. A constant keeps its register: the next iteration needs it, too. That of
        a number is not worth the time."""
        if self.keeps:
            return []
        held = [value for value in values if not isinstance(value.type, NumberType | ScalarType)]
        return [k for k in self.registers(held) if k not in self.constants]

    def params(self, block: Block, params: Sequence[Value]) -> list[int | None]:
        """The registers of a block's parameters, None for those that nobody uses."""
        unused = set(self.liveness.unused.get(block, ()))
        return [None if param in unused else self.register(param) for param in params]

    def initial(self) -> Registers:
        r: Registers = [None] * (len(self.register_of) + 2)  # the last one: how deep calls may still go
        for register, value in self.constants.items():
            r[register] = value
        return r

    def results(self, block: Block) -> tuple[list[int], list[int]]:
        """The registers of what a block yields, and those of them that are the block's own, to be emptied."""
        own = {v for op in block.operations for v in op.outputs} | set(block.params)
        mine = [v for v in block.results if v in own]
        return self.registers(block.results), self.dying(mine)
