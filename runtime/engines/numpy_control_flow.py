"""The interpreter's steps with blocks: ``if``, ``while``, ``for``, ``try``. Each gets the code of its blocks.

See numpy_engine.py for what a step is. Nothing here is called through ``__call__`` or a builtin on the way to
a nested block or function: a Python function that calls another uses no C stack, however deep.

What steps work on: one list of registers, which nested blocks share, and who has which of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from autograph.errors import AutographError
from runtime.engines.tracebacks import caught, located
from runtime.graph import Block, Graph, Location, Operation, Value
from runtime.graph.liveness import last_uses
from runtime.types import NumberType, ScalarType


def if_step(allocation: Allocation, operation: Operation, codes: list[Code]) -> Step:
    (predicate,) = allocation.registers(operation.inputs)
    outputs = allocation.registers(operation.outputs)
    free = allocation.dying(allocation.liveness.after[operation])
    then, orelse = [(code, *allocation.results(b)) for b, code in zip(operation.blocks, codes, strict=True)]

    def step(r: Registers) -> None:
        code, results, own = then if r[predicate] else orelse
        code.run(r)
        put(r, outputs, take(r, results, own))
        for k in free:
            r[k] = None

    return step


class _LoopBlock:
    """A test or body: its code, and the registers of its parameters and results."""

    def __init__(self, allocation: Allocation, block: Block, code: Code) -> None:
        self.params = allocation.params(block, block.params)
        self.code = code
        self.results, self.own = allocation.results(block)

    def run(self, r: Registers, arguments: list[Any]) -> list[Any]:  # no __call__: that is a frame of C
        put(r, self.params, arguments)
        arguments.clear()  # the registers alone hold the values, so that they die where the code says
        self.code.run(r)
        return take(r, self.results, self.own)


def _loop_blocks(allocation: Allocation, operation: Operation, codes: list[Code]) -> list[_LoopBlock]:
    return [_LoopBlock(allocation, b, code) for b, code in zip(operation.blocks, codes, strict=True)]


def while_step(allocation: Allocation, operation: Operation, codes: list[Code]) -> Step:
    inputs = allocation.registers(operation.inputs)
    outputs = allocation.registers(operation.outputs)
    test, body = _loop_blocks(allocation, operation, codes)
    entering = allocation.dying(allocation.liveness.entering.get(operation, ()))
    free = allocation.dying(allocation.liveness.after[operation])

    def step(r: Registers) -> None:
        state = take(r, inputs, entering)
        while test.run(r, state.copy())[0]:
            state = body.run(r, state)
        put(r, outputs, state)
        for k in free:
            r[k] = None

    return step


def for_step(allocation: Allocation, operation: Operation, codes: list[Code]) -> Step:
    bounds = allocation.registers(operation.inputs[:3])
    initial = allocation.registers(operation.inputs[3:])
    outputs = allocation.registers(operation.outputs)
    *tests, body = _loop_blocks(allocation, operation, codes)
    entering = allocation.dying(allocation.liveness.entering.get(operation, ()))
    free = allocation.dying(allocation.liveness.after[operation])

    def step(r: Registers) -> None:
        indices = index_range(r, bounds, operation.location)
        state = take(r, initial, entering)
        for i in indices:
            if tests and not tests[0].run(r, [i, *state])[0]:
                break
            state.insert(0, i)
            state = body.run(r, state)
        put(r, outputs, state)
        for k in free:
            r[k] = None

    return step


def index_range(r: Registers, bounds: list[int], location: Location | None) -> range:
    try:
        return range(*[r[k] for k in bounds])
    except (TypeError, ValueError) as error:  # a step of 0
        raise located(error, location)  # noqa: B904


def try_step(allocation: Allocation, operation: Operation, codes: list[Code]) -> Step:
    """No handler of the program catches a refusal: it passes. One that ``cleans_up`` runs before (it is a
    ``finally``, or the exit of a ``with``)."""
    body, handler = operation.blocks
    cleans_up = operation.attributes.get("cleans_up", False)
    location = operation.location
    exception = allocation.params(handler, handler.params)[0]
    outputs = allocation.registers(operation.outputs)
    free = allocation.dying(allocation.liveness.after[operation])
    body_code, handler_code = codes
    body_results, handler_results = allocation.results(body), allocation.results(handler)

    def clean_up(r: Registers, refusal: AutographError) -> None:
        if exception is not None:
            r[exception] = refusal
        try:
            handler_code.run(r)
        except Exception as error:  # noqa: BLE001  # the program's own; it raises the refusal again at its end
            if error is not refusal:
                refusal.add_note(f"While this passed, the program raised {type(error).__name__}: {error}")

    def step(r: Registers) -> None:
        try:
            body_code.run(r)
            values = take(r, *body_results)
        except BaseException as error:  # the handler says which it takes
            if isinstance(error, AutographError):
                if cleans_up:
                    clean_up(r, error)
                raise
            if exception is not None:
                r[exception] = caught(error, location)
            handler_code.run(r)
            values = take(r, *handler_results)
            if exception is not None:
                r[exception] = None  # the exception holds frames, and they these registers
        put(r, outputs, values)
        for k in free:
            r[k] = None

    return step


CONTROL_FLOW: dict[str, Callable[[Allocation, Operation, list[Code]], Step]] = {
    "if": if_step,
    "while": while_step,
    "for": for_step,
    "try": try_step,
}


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
