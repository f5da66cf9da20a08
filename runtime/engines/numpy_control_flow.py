"""The interpreter's steps with blocks, and its calls: ``if``, ``while``, ``for``, ``try``, functions.

See numpy_engine.py for what a step is. Nothing here is called through ``__call__`` or a builtin on the way to
a nested block or function: a Python function that calls another uses no C stack, however deep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from autograph.errors import AutographError
from runtime.engines.tracebacks import caught, located
from runtime.graph import Block, Location, Operation

if TYPE_CHECKING:
    from runtime.engines.numpy_engine import Translation

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


def if_step(translation: Translation, operation: Operation) -> Step:
    (predicate,) = translation.registers(operation.inputs)
    outputs = translation.registers(operation.outputs)
    free = translation.dying(translation.liveness.after[operation])
    then, orelse = [(translation.code(b), *translation.results(b)) for b in operation.blocks]

    def step(r: Registers) -> None:
        code, results, own = then if r[predicate] else orelse
        code.run(r)
        put(r, outputs, take(r, results, own))
        for k in free:
            r[k] = None

    return step


class _LoopBlock:
    """A test or body: its code, and the registers of its parameters and results."""

    def __init__(self, translation: Translation, block: Block) -> None:
        self.params = translation.params(block, block.params)
        self.code = translation.code(block)
        self.results, self.own = translation.results(block)

    def run(self, r: Registers, arguments: list[Any]) -> list[Any]:  # no __call__: that is a frame of C
        put(r, self.params, arguments)
        arguments.clear()  # the registers alone hold the values, so that they die where the code says
        self.code.run(r)
        return take(r, self.results, self.own)


def while_step(translation: Translation, operation: Operation) -> Step:
    inputs = translation.registers(operation.inputs)
    outputs = translation.registers(operation.outputs)
    test, body = [_LoopBlock(translation, block) for block in operation.blocks]
    entering = translation.dying(translation.liveness.entering.get(operation, ()))
    free = translation.dying(translation.liveness.after[operation])

    def step(r: Registers) -> None:
        state = take(r, inputs, entering)
        while test.run(r, state.copy())[0]:
            state = body.run(r, state)
        put(r, outputs, state)
        for k in free:
            r[k] = None

    return step


def for_step(translation: Translation, operation: Operation) -> Step:
    bounds = translation.registers(operation.inputs[:3])
    initial = translation.registers(operation.inputs[3:])
    outputs = translation.registers(operation.outputs)
    *tests, body = [_LoopBlock(translation, block) for block in operation.blocks]
    entering = translation.dying(translation.liveness.entering.get(operation, ()))
    free = translation.dying(translation.liveness.after[operation])

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


def call_step(translation: Translation, operation: Operation) -> Step:
    routine = translation.routines[operation.attributes["function"]]
    inputs = translation.registers(operation.inputs)
    outputs = translation.registers(operation.outputs)
    free = translation.dying(translation.liveness.after[operation])

    def step(r: Registers) -> None:
        depth = r[-1] - 1
        if depth < 0:
            raise RecursionError("maximum recursion depth exceeded")
        results = routine.run([r[k] for k in inputs], depth)
        put(r, outputs, results)
        for k in free:
            r[k] = None

    return step


def landing_step(translation: Translation, operation: Operation) -> Step:
    values = translation.registers(operation.inputs)
    targets = translation.landings[operation.attributes["region"]]
    free = translation.dying(translation.liveness.after[operation])

    def step(r: Registers) -> None:
        put(r, targets, [r[k] for k in values])
        for k in free:
            r[k] = None

    return step


def try_step(translation: Translation, operation: Operation) -> Step:
    """No handler of the program catches a refusal: it passes. ``refusals`` says what is done before.

    "clean up": the handler runs (it is a ``finally``, or the exit of a ``with``), then the refusal goes on;
    "hand over": the handler does not end it, but gives it to the caller, who raises it again.
    """
    body, handler = operation.blocks
    refusals = operation.attributes.get("refusals")
    location = operation.location
    exception, *targets = translation.params(handler, handler.params)
    translation.landings[operation.attributes["region"]] = targets
    outputs = translation.registers(operation.outputs)
    free = translation.dying(translation.liveness.after[operation])
    body_code, body_results = translation.code(body), translation.results(body)
    handler_code, handler_results = translation.code(handler), translation.results(handler)

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
            if isinstance(error, AutographError) and refusals != "hand over":
                if refusals == "clean up":
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


CONTROL_FLOW: dict[str, Callable[[Translation, Operation], Step]] = {
    "if": if_step,
    "while": while_step,
    "for": for_step,
    "try": try_step,
}
