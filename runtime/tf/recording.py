"""The tapes that are open, and copies of parts of a graph."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from runtime.graph import Block, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.liveness import free_values
from runtime.graph.rewrite import Rebuild


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
