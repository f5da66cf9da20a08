"""The tapes that are open, and copies of parts of a graph."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.functions import Inlined
from runtime.graph.liveness import free_values


class _Active(threading.local):
    def __init__(self) -> None:
        self.tapes: list[Any] = []


_active = _Active()


def active() -> list[Any]:
    """The tapes that record in this thread."""
    return _active.tapes


class Copy(Inlined):
    """Copies operations of a graph to another place, where ``values`` says what its parameters are.

    functions: those of which calls are inlined.
    """

    def __init__(
        self, values: dict[Value, Value], functions: Mapping[str, Graph] | None = None, effects: bool = True
    ) -> None:
        super().__init__(values, functions or {})
        self.effects = effects

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
