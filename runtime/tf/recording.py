"""The tapes that are open, and the gradient of what was traced between two values of a graph.

What is computed eagerly `runtime/recording.py` records, as for `rt.GradientTape`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from runtime.gradients import expand as expansion
from runtime.gradients import reverse as reversal
from runtime.gradients.scope import is_smooth
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.liveness import free_values
from runtime.graph.rewrite import Rebuild
from runtime.ops import REGISTRY
from runtime.ops.definition import NoDerivative


class _Active(threading.local):
    def __init__(self) -> None:
        self.tapes: list[Any] = []


_active = _Active()


def active() -> list[Any]:
    """The tapes that record in this thread."""
    return _active.tapes


class Copy(Rebuild):
    """Copies operations of a graph to another place, where ``values`` says what its parameters are."""

    def __init__(self, values: dict[Value, Value], effects: bool = True) -> None:
        super().__init__()
        self.values = values
        self.effects = effects

    def of(self, values: Any) -> tuple[Value, ...]:
        return tuple([self.values.get(value, value) for value in values])

    def operation(self, op: Operation, block: Block) -> None:
        if self.effects or op.outputs or not effects_of(op).ordered:
            super().operation(op, block)


def operations_between(results: Sequence[Value], stops: set[Value]) -> tuple[list[Operation], list[Value]]:
    """The operations by which the results were made of ``stops`` and other values, in order; and the
    values that are used and not made by them."""
    done: dict[Operation, None] = {}
    leaves: dict[Value, None] = {}
    todo: list[tuple[Any, bool]] = [(value, False) for value in reversed(results)]
    while todo:
        at, is_operation = todo.pop()
        if is_operation:
            done[at] = None
        elif at in stops or at.owner is None:
            leaves[at] = None
        elif at.owner not in done:
            todo.append((at.owner, True))
            needed = [*at.owner.inputs, *free_values(at.owner)]
            todo += [(value, False) for value in needed if value.owner not in done or value.owner is None]
    return list(done), list(leaves)


def connected(results: Sequence[Value], asked: set[Value]) -> set[Value]:
    """Which of the values asked for the results depend on by operations that have a derivative."""
    found: set[Value] = set()
    seen: set[Operation] = set()
    todo = list(results)
    while todo:
        value = todo.pop()
        op = value.owner
        if value in asked:
            found.add(value)
        elif op is not None and op not in seen and is_smooth(value.type):
            seen.add(op)
            todo += _differentiated(op)
    return found


def _differentiated(op: Operation) -> Sequence[Value]:
    """The inputs to which gradients go."""
    if op.name == "custom_gradient":
        return op.inputs[op.attributes["results"] :]
    if op.blocks:
        return [*op.inputs, *free_values(op)]
    return () if isinstance(REGISTRY[op.name].vjp, NoDerivative) else op.inputs


class Derivative:
    """The gradient of some values with respect to others, as a graph of its own.

    ``graph`` takes ``wrt``, then ``others``, then the adjoints of the results; it gives the adjoints
    of ``wrt``, which are those of the values asked for that the results depend on.
    """

    def __init__(self, results: Sequence[Value], asked: Sequence[Value]) -> None:
        operations, leaves = operations_between(results, set(asked))
        known = connected(results, set(asked)) & set(leaves)
        self.wrt = [value for value in dict.fromkeys(asked) if value in known and is_smooth(value.type)]
        self.others = [value for value in leaves if value not in set(self.wrt)]
        body = Block([*self.wrt, *self.others], operations, tuple(results))
        plain = Copy({}, effects=False).graph(Graph("gradient", body))
        found = reversal.reverse(plain, range(len(self.wrt)), range(len(results)))
        expansion.expand(found)
        found.body.results = found.results[len(results) :]
        self.graph = found
