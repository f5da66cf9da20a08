"""Runs of decorated functions that tapes outside of them record: each is one step, whose graph the trace has.

The graph is run a second time for a gradient: effects are left out of it, and what would draw other random
numbers is refused.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import ArgumentError
from runtime import recording
from runtime.arguments import wrong_argument
from runtime.engines.tracebacks import located
from runtime.gradients.activity import Activity
from runtime.gradients.expand import Fragment, written_params
from runtime.graph import Block, Graph, Operation
from runtime.graph.effects import Memory, effects_of
from runtime.graph.rewrite import clone
from runtime.ops import REGISTRY
from runtime.staged.operands import Boxed
from runtime.tensor import Tensor, boxed_arrays


class Program(Fragment):
    """The graph of a trace, without what it does to the world."""

    def __init__(self, name: str, graph: Graph, engine: str) -> None:
        self.name = name
        self.whole = graph
        self.engine = engine
        self.params = range(len(graph.params))
        self.written = written_params(graph)  # of what the graph does to the world, too
        self._reached: dict[int, frozenset[Any]] = {}

    @functools.cached_property
    def graph(self) -> Graph:  # type: ignore[override]
        made = clone(self.whole)
        for part in made.whole():
            _drop_effects(part.body)
        return made

    def reached_from(self, param: int) -> frozenset[Any]:
        """The numbers of the results, and the parameters that are written, that a derivative with respect to
        this argument goes through."""
        if param not in self._reached:
            graph = self.whole
            activity = Activity(graph, Memory(graph, distinct_params=True), [graph.params[param]])
            results = {k for k, y in enumerate(graph.results) if activity.is_active(y)}
            written = {graph.params[k] for k in self.written if activity.is_active(graph.params[k])}
            self._reached[param] = frozenset(results | written)
        return self._reached[param]


def recorded_run(
    program: Program,
    run: Callable[[Sequence[Any]], Sequence[Any]],
    given: Sequence[Any],
    arguments: Sequence[Any],
) -> Sequence[Any]:
    """A run that is a step of the tapes that record: the results, those that they follow as Tensors.

    ``arguments`` are the arrays and numbers of what is ``given``; of what the function found by itself only
    these.
    """
    for argument in arguments:
        _check_container(program.name, argument, arguments)
    is_boxed = [k >= len(given) or isinstance(given[k], Boxed) for k in range(len(arguments))]
    arrays = [x for x, boxed in zip(arguments, is_boxed, strict=True) if boxed and hasattr(x, "dtype")]
    known = {k for k, x in enumerate(arguments) if is_boxed[k] and _is_known(x)}
    if not known:
        return run(arguments)
    reached = frozenset().union(*[program.reached_from(k) for k in known])
    written = [arguments[k] for k in program.written if is_boxed[k]]
    stored = any(not is_boxed[k] and program.whole.params[k] in reached for k in program.written)
    steps = recording.begin(program, (), {}, arrays, written, stored)
    for step in steps:
        step.args = tuple([_leaf(step, x, boxed) for x, boxed in zip(arguments, is_boxed, strict=True)])
    results = list(run(arguments))
    made = [Tensor(x) if k in reached else x for k, x in enumerate(results)]
    recording.end(steps, [x._array if isinstance(x, Tensor) else None for x in made])
    return made


def _leaf(step: recording.Step, argument: Any, boxed: bool) -> Any:
    if not isinstance(argument, np.ndarray | np.generic):
        return argument
    found = step.inputs.get(id(argument)) if boxed else None
    return found or recording.Slot(argument, step.record.copy_of(argument))


def _is_known(array: Any) -> bool:
    return any(id(array) in one.slots for one in recording.records())


def _check_container(name: str, item: Any, arguments: Sequence[Any]) -> None:
    """A list or dict of which only a run knows the length is one argument: what it holds has no adjoint."""
    if isinstance(item, dict):
        item = list(item.values())
    if isinstance(item, list | tuple | deque):
        for part in item:
            _check_container(name, part, arguments)
    elif any(not any(array is x for x in arguments) and _is_known(array) for array in boxed_arrays(item)):
        raise wrong_argument(
            f"`{name}` gets a list or dict of any length with Tensors that a tape follows",
            "stack them into one Tensor, or use the tape inside of the decorated function",
        )


def _drop_effects(block: Block) -> None:
    """What a program does to the world is done by the call that a tape records; not again."""
    kept = []
    for op in block.operations:
        for nested in op.blocks:
            _drop_effects(nested)
        if not _is_effect(op):
            kept.append(op)
        elif op.outputs:
            raise located(_no_second_time(op), op.location)
    block.operations = kept


def _is_effect(op: Operation) -> bool:
    effects = effects_of(op)
    if effects.leaves or op.blocks or not effects.ordered:
        return False
    return REGISTRY[op.name].family in ("effect", "store", "object")


def _no_second_time(op: Operation) -> ArgumentError:
    name = getattr(op.attributes.get("function"), "__name__", op.name)
    line = op.location.line if op.location else "?"
    return wrong_argument(
        f"a tape would run this function a second time, and `{name}` in line {line} may give something else",
        "pass what it gives as an argument, or use the tape inside of the decorated function",
    )
