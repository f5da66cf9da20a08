"""Compute once what is computed twice.

>>> from runtime.formats.parse import parse
>>> print(merge_common_subexpressions(parse('''
... graph f(x: f64[3], i: int) -> f64:
...     a: f64 = x[i]
...     b: f64 = x[i]
...     y: f64 = multiply(a, b)
...     return y
... ''')), end="")
graph f(x: f64[3], i: int) -> f64:
    a: f64 = x[i]
    y: f64 = multiply(a, a)
    return y

A read is repeated after a write that may have changed what it reads. Two new arrays stay two where
somebody could tell: where one is written, or is handed out. An operation that may raise can be merged
with an earlier one: had it raised, the program would not have come this far.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from runtime import debug
from runtime.formats.literals import Objects, is_inline_constant, literal
from runtime.graph.core import Block, Graph, Operation, Value
from runtime.graph.effects import Memory, Root
from runtime.graph.rewrite import Rebuild
from runtime.ops import REGISTRY

Key = tuple[Any, ...]


def merge_common_subexpressions(graph: Graph) -> Graph:
    return _Merge(Memory(graph)).graph(graph)


class _Merge(Rebuild):
    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self.memory = memory
        self.objects = Objects()
        #: what was computed in this block and those around it
        self.available: dict[Key, tuple[Value, ...]] = {}
        #: how often each memory was written so far
        self.writes: Counter[Root] = Counter()

    def block(self, block: Block) -> Block:
        outer, writes = dict(self.available), self.writes.copy()
        copy = super().block(block)
        self.available, self.writes = outer, writes  # one branch does not see what the other writes
        return copy

    def operation(self, op: Operation, block: Block) -> None:
        if op.name in ("while", "for", "try"):
            # a body reads what its end wrote, a handler what the body wrote
            self.writes.update(self.memory.writes_inside(op))
        key = self.key(op)
        known = self.available.get(key) if key is not None else None
        if known is not None:
            debug.fired("computed before", op)
            self.replace(op.outputs, known)
            return
        copy = self.copy(op)
        block.append(copy)
        self.writes.update(self.memory.writes_inside(op))
        if key is not None:
            self.available[key] = copy.outputs

    def key(self, op: Operation) -> Key | None:
        """What the result depends on; None when the operation must stay."""
        if op.blocks or not op.outputs or self.memory.is_ordered(op) or self.memory.writes(op):
            return None
        if not all(self.memory.is_anonymous(value) for value in op.outputs):
            return None
        if op.name == "constant" and not is_inline_constant(op):
            return None
        inputs = [id(value) for value in self.of(op.inputs)]
        if "commutative" in REGISTRY[op.name].traits:
            inputs.sort()
        versions = [(root, self.writes[root]) for root in self.memory.reads(op)]
        attributes = literal(op.attributes, self.objects)
        types = tuple([value.type for value in op.outputs])
        return (op.name, tuple(inputs), attributes, types, frozenset(versions))
