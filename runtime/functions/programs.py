"""Graphs that are run and differentiated from outside of a trace: what the steps of a tape are.

A `Program` is a graph whose gradient is a `Program` again, so that a tape around records the gradient as one
more step. It is run on copies of what the step kept, and a second time: effects are left out of it, and what
would draw other random numbers is refused.
"""

from __future__ import annotations

import copy
import functools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import ArgumentError
from runtime.arguments import wrong_argument
from runtime.engines import compile_graph
from runtime.engines.numerics import checked_run
from runtime.engines.tracebacks import located
from runtime.functions import checked_numerics
from runtime.gradients.activity import Activity
from runtime.gradients.errors import GradientError
from runtime.gradients.reverse import reverse
from runtime.gradients.scope import is_smooth
from runtime.graph import Block, Graph, Operation
from runtime.graph.effects import Memory, effects_of
from runtime.graph.rewrite import clone
from runtime.ops import REGISTRY
from runtime.passes import optimize
from runtime.recording import node_of, note
from runtime.tensor import Tensor
from runtime.types import ArrayType, ObjectType, ScalarType


class Program:
    """A graph of flat arguments and results, and its gradients."""

    def __init__(self, graph: Graph, engine: str, written: Sequence[int] = ()) -> None:
        self.graph = graph
        self.engine = engine
        self.written = written  # parameters whose contents at the end are the last results
        self.is_gradient = False
        self._gradients: dict[Any, Program] = {}
        self._reached: dict[int, frozenset[int]] = {}

    def gradient(self, wrt: tuple[int, ...], of: tuple[int, ...]) -> Program:
        """From the arguments, and the adjoints of the results ``of``, to those of the arguments ``wrt``."""
        if (wrt, of) not in self._gradients:
            graph = clone(self.graph)
            for part in graph.whole():
                _drop_effects(part.body)
            try:
                made = reverse(graph, wrt, of)
            except GradientError as error:
                raise located(error, error.place)  # noqa: B904
            made.body.results = made.body.results[len(self.graph.results) :]
            self._gradients[wrt, of] = Program(made, self.engine)
            self._gradients[wrt, of].is_gradient = True
        return self._gradients[wrt, of]

    def reached_from(self, param: int) -> frozenset[int]:
        """The results that a derivative with respect to this argument goes through."""
        if param not in self._reached:
            memory = Memory(self.graph, distinct_params=True)
            activity = Activity(self.graph, memory, [self.graph.params[param]])
            found = [k for k, y in enumerate(self.graph.results) if activity.is_active(y)]
            self._reached[param] = frozenset(found)
        return self._reached[param]

    @functools.cached_property
    def _compiled(self) -> Any:
        return compile_graph(optimize(self.graph), self.engine)

    def run(self, arguments: Sequence[Any]) -> list[Any]:
        """The results for these arguments, which are not changed."""
        given = [_of_type(x, p.type) for x, p in zip(arguments, self.graph.params, strict=True)]
        run = checked_run(self.graph) if checked_numerics.enabled() else self._compiled.run
        return list(run(given))


def _of_type(value: Any, type_: Any) -> Any:
    """An argument as a graph takes it: a copy of an array; a number of the class that is asked for."""
    if isinstance(type_, ArrayType):
        return np.array(value, dtype=type_.dtype)
    if isinstance(type_, ScalarType):
        return type_.dtype.type(value)
    if isinstance(type_, ObjectType):
        return value
    return {"int": int, "float": float, "bool": bool, "complex": complex}[type_.kind](value)


# -- the programs of decorated functions -----------------------------------------------------------------


def program_of(graph: Graph, engine: str) -> Program:
    """The program of a trace: its results, and behind them what the arrays hold that it writes."""
    written = _written(graph)
    made = clone(graph)
    made.body.results += tuple([made.params[k] for k in written])
    return Program(made, engine, written)


def _written(graph: Graph) -> list[int]:
    """The parameters that are arrays of floats, and that may be written."""
    memory = Memory(graph, distinct_params=True)
    roots: set[Any] = set()
    for op in graph.operations():
        for k in effects_of(op).writes:
            roots |= memory.roots(op.inputs[k])
    return [
        k
        for k, p in enumerate(graph.params)
        if isinstance(p.type, ArrayType) and is_smooth(p.type) and not memory.roots(p).isdisjoint(roots)
    ]


def followed(name: str, arguments: Sequence[Any]) -> list[Any] | None:
    """What tapes know of each argument; None where they follow none."""
    for argument in arguments:
        _check_container(name, argument, arguments)
    nodes = [node_of(x) if isinstance(x, np.ndarray | np.generic) else None for x in arguments]
    return nodes if any(node is not None for node in nodes) else None


def recorded_run(
    name: str,
    program: Program,
    run: Callable[[Sequence[Any]], Sequence[Any]],
    arguments: Sequence[Any],
    nodes: Sequence[Any],
) -> list[Any]:
    """A run that is a step of the tapes that record: the results, those that they follow as Tensors.

    ``nodes``: what `followed` has found of the arguments.
    """
    _check_apart(name, program, arguments)
    kept = list(map(copy.copy, arguments))
    results = list(run(arguments))
    reached = frozenset().union(
        *[program.reached_from(k) for k, node in enumerate(nodes) if node is not None]
    )
    made = [_as_array(x) if k in reached else x for k, x in enumerate(results)]
    outputs = [x if k in reached else None for k, x in enumerate(made)]
    outputs += [arguments[k] for k in program.written]
    note(program, None, kept, outputs, nodes, len(made))
    return [Tensor(x) if k in reached else x for k, x in enumerate(made)]


def _check_container(name: str, item: Any, arguments: Sequence[Any]) -> None:
    """A list or dict of which only a run knows the length is one argument: what it holds has no adjoint."""
    if isinstance(item, dict):
        item = list(item.values())
    if isinstance(item, list | tuple | deque):
        for part in item:
            _check_container(name, part, arguments)
        return
    array = item.numpy() if isinstance(item, Tensor) else item
    if any(array is x for x in arguments) or not isinstance(array, np.ndarray | np.generic):
        return
    if node_of(array) is not None:
        raise wrong_argument(
            f"`{name}` gets a list or dict of any length with Tensors that a tape follows",
            "stack them into one Tensor, or use the tape inside of the decorated function",
        )


def _check_apart(name: str, program: Program, arguments: Sequence[Any]) -> None:
    """Copies of arguments that share memory share none."""
    for k in program.written:
        for n, other in enumerate(arguments):
            if n != k and isinstance(other, np.ndarray) and np.may_share_memory(arguments[k], other):
                raise wrong_argument(
                    f"`{name}` writes into an array that it gets twice, while a tape records",
                    "pass a copy of one of them",
                )


def _as_array(value: Any) -> Any:
    return value if isinstance(value, np.ndarray | np.generic) else np.asarray(value)[()]


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
    if op.name in ("assert", "raise") or op.blocks or not effects.ordered:
        return False
    return REGISTRY[op.name].family in ("effect", "store", "object")


def _no_second_time(op: Operation) -> ArgumentError:
    name = getattr(op.attributes.get("function"), "__name__", op.name)
    line = op.location.line if op.location else "?"
    return wrong_argument(
        f"a tape would run this function a second time, and `{name}` in line {line} may give something else",
        "pass what it gives as an argument, or use the tape inside of the decorated function",
    )
