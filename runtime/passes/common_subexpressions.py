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
with an earlier one: had it raised, the program would not have come this far. What an attribute or a list
holds is read once as long as nothing may have stored to this field.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import Root, fields_of, memory_of
from runtime.graph.literals import Objects, is_inline_constant, literal
from runtime.graph.rewrite import Rebuild
from runtime.ops import REGISTRY

Key = tuple[Any, ...]


def merge_common_subexpressions(graph: Graph) -> Graph:
    repeats = _Repeats(graph)
    return _Merge(repeats.found).graph(graph) if repeats.found else graph


def merge_outside_of_branches(graph: Graph) -> Graph:
    """The same for a graph that is to be differentiated: a branch keeps what it computes again.

    Undone, this is work of the branch. It would be work of each run if the branch used the first result.
    """
    repeats = _Repeats(graph, into_branches=False)
    return _Merge(repeats.found).graph(graph) if repeats.found else graph


class _Repeats:
    """Finds operations whose results were computed before, in the same block or in one around it."""

    def __init__(self, graph: Graph, into_branches: bool = True) -> None:
        self.memory = memory_of(graph)
        self.into_branches = into_branches
        self.objects = Objects()
        #: an operation -> the outputs of the earlier one
        self.found: dict[Operation, tuple[Value, ...]] = {}
        #: a value -> the one computed before that it equals
        self.same: dict[Value, Value] = {}
        #: what was computed in this block and those around it
        self.available: dict[Key, tuple[Value, ...]] = {}
        #: how often each memory was written so far
        self.writes: dict[Root, int] = {}
        self.counted: list[Root] = []  # each write of these
        self.block(graph.body)

    def block(self, block: Block) -> None:
        before = len(self.counted)
        keys = [key for op in block.operations if (key := self.operation(op)) is not None]
        for key in keys:
            del self.available[key]
        for root in self.counted[before:]:  # one branch does not see what the other writes
            self.writes[root] -= 1
        del self.counted[before:]

    def operation(self, op: Operation) -> Key | None:
        """Returns the key of an operation that may serve for later ones."""
        if op.is_loop or op.is_try:
            # a body reads what its end wrote, a handler what the body wrote
            self.note_writes(op)
        key = self.key(op)
        known = self.available.get(key) if key is not None else None
        if known is not None:
            self.found[op] = known
            self.same.update(zip(op.outputs, known, strict=True))
            return None
        around = self.available
        for block in op.blocks:
            self.available = around if not op.is_branch or self.into_branches else {}
            self.block(block)
        self.available = around
        self.note_writes(op)
        if key is not None:
            self.available[key] = op.outputs
        return key

    def place(self, op: Operation) -> Key:
        """The object, and which field of it."""
        return tuple([self.who(value) for value in op.inputs[:2]])

    def who(self, value: Value) -> Any:
        """The same of values that are the same; of names and indices in the program, these."""
        maker = value.owner
        if maker is not None and maker.is_constant:
            constant = maker.attributes["value"]
            if isinstance(constant, str | int):
                return str, constant
        return id(self.same.get(value, value))

    def versions(self, roots: Iterable[Root]) -> frozenset[tuple[Root, int]]:
        return frozenset([(root, self.writes.get(root, 0)) for root in roots])

    def note_writes(self, op: Operation) -> None:
        for root in self.memory.writes_inside(op):
            self.writes[root] = self.writes.get(root, 0) + 1
            self.counted.append(root)

    def key(self, op: Operation) -> Key | None:
        """What the result depends on; None when the operation must stay."""
        if op.blocks or not op.outputs or self.memory.is_ordered(op) or self.memory.writes(op):
            return None
        fields = fields_of(op)  # what is found there twice is the same object
        if not fields and not all(map(self.memory.is_anonymous, op.outputs)):
            return None
        if op.is_constant and not is_inline_constant(op):
            return None
        inputs = [id(self.same.get(value, value)) for value in op.inputs]
        if "commutative" in REGISTRY[op.name].traits:
            inputs.sort()
        versions = self.versions(
            [self.same.get(r, r) if isinstance(r, Value) else r for r in self.memory.reads(op)]
        )
        types = tuple([value.type for value in op.outputs])
        if fields and op.attributes.keys() <= {"reader"}:
            return (op.name, self.place(op), op.attributes.get("reader"), types, versions)
        attributes = literal(op.attributes, self.objects) if op.attributes else ""
        return (op.name, tuple(inputs), attributes, types, versions)


class _Merge(Rebuild):
    def __init__(self, repeats: dict[Operation, tuple[Value, ...]]) -> None:
        super().__init__()
        self.repeats = repeats

    def operation(self, op: Operation, block: Block) -> None:
        known = self.repeats.get(op)
        if known is None:
            block.append(self.copy(op))
            return
        debug.fired("computed before", op)
        self.replace(op.outputs, self.of(known))
