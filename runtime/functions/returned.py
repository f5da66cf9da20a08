"""Lists and dicts that nobody but the caller gets: each call builds them of their items, no run makes one.

    found: list[float] = list.new([x, y])
    list.append(found, z)
    return found                              return x, y, z

So what is returned has derivatives, and can be exported.
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime.graph import Block, Operation, Value
from runtime.graph.effects import fields_of
from runtime.graph.liveness import walk_blocks
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole
from runtime.passes.dead_code import makes_quietly
from runtime.types import ContainerType, ObjectType


def is_taken_apart(value: Value) -> bool:
    """May it be a list or dict that a call builds?"""
    return isinstance(value.type, ContainerType) and value.type.name in ("list", "dict")


class Seen:
    """Who sees the lists and dicts that a trace makes: which of them only their own operations know."""

    def __init__(self, bodies: Iterable[Block]) -> None:
        self._shown: set[Value] = set()  # given to somebody else
        self._held_by: dict[Value, set[Value]] = {}  # the containers in which one lies
        self._reads: set[Value] = set()  # those out of which objects are read
        self._apart: set[Value] = set()
        for block in (block for body in bodies for block in walk_blocks(body)):
            self._shown.update(block.results)
            for op in block.operations:
                self._look(op)

    def _look(self, op: Operation) -> None:
        if op.makes_container:
            owner, others = op.output, op.inputs
        elif _is_of_first(op):
            owner, others = op.inputs[0], op.inputs[1:]
            if any(isinstance(one.type, ObjectType) for one in op.outputs):
                self._reads.add(owner)
        else:
            self._shown.update(op.inputs)
            return
        for value in others:
            self._held_by.setdefault(value, set()).add(owner)

    def take_apart(self, value: Value) -> bool:
        """Does nobody know it but the caller, who gets one that is built of its items then? It may lie in
        others that are taken apart."""
        maker = value.owner
        is_new = maker is not None and (maker.makes_container or makes_quietly(maker))
        is_made = is_new and is_taken_apart(value)
        holders = self._held_by.get(value, set())
        if not is_made or value in self._shown or not holders <= self._apart or holders & self._reads:
            return False
        self._apart.add(value)
        return True


def _is_of_first(op: Operation) -> bool:
    """Does it read or change its first input, a container or an object, and nothing that lies in it?"""
    row, template = METHODS.get(op.name), op.attributes.get("template")
    if row is None or not row.moves_items:
        return op.is_unpacking or bool(fields_of(op))
    return template is None or template.structure[0] == Hole(0)
