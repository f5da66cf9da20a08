"""Replace arithmetic in place by new arrays, where nobody else has the array.

The derivative of a value that is made once is a value; that of memory which is written is memory.

>>> from runtime.formats.parse import parse
>>> print(replace_in_place(parse('''
... graph f(x: f64[3], y: f64) -> f64[3]:
...     a: f64[3] = negative(x)
...     inplace(a, y, ufunc='multiply')
...     return a
... ''')), end="")
graph f(x: f64[3], y: f64) -> f64[3]:
    a: f64[3] = negative(x)
    a.2: f64[3] = multiply(a, y)
    return a.2
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import Memory, effects_of
from runtime.graph.liveness import free_values, walk_blocks
from runtime.graph.rewrite import Rebuild
from runtime.ops import REGISTRY
from runtime.types import ArrayType


def replace_in_place(graph: Graph) -> Graph:
    candidates = [op for op in graph.operations() if _is_arithmetic(op)]
    found = set(_private(graph, candidates)) if candidates else set()
    return _ReplaceInPlace(found).graph(graph) if found else graph


class _ReplaceInPlace(Rebuild):
    def __init__(self, found: set[Operation]) -> None:
        super().__init__()
        self.found = found

    def operation(self, op: Operation, block: Block) -> None:
        if op not in self.found:
            return super().operation(op, block)
        debug.fired("an array that nobody else has", op)
        target = op.inputs[0]
        made = Operation(op.attributes["ufunc"], self.of(op.inputs), (target.type,), {}, (), op.location)
        made.output.hint = target.hint
        self.values[target] = block.append(made).output  # all that follows uses the new one
        return None


def _is_arithmetic(op: Operation) -> bool:
    """Is the result of the ufunc an array like the one that is written, whatever the lengths?"""
    if not op.is_inplace or len(op.inputs) != 2 or op.attributes["ufunc"] not in REGISTRY:
        return False
    target, other = op.inputs
    if isinstance(other.type, ArrayType) and (None in other.shape or None in target.shape):
        return False
    return REGISTRY[op.attributes["ufunc"]].output_types((target.type, other.type), {}) == (target.type,)


def _private(graph: Graph, candidates: list[Operation]) -> Iterator[Operation]:
    """Those of the operations behind which the array is used under its one name only."""
    memory, places = Memory(graph), _Places(graph)
    operations = list(graph.operations())
    viewed = frozenset().union(
        *[memory.roots(y) for op in operations if effects_of(op).view_of is not None for y in op.outputs]
    )
    for op in candidates:
        target = op.inputs[0]
        roots = memory.roots(target)
        if not memory.is_fresh(target) or not roots.isdisjoint(viewed) or not places.is_local(target, op):
            continue
        others = [v for v in places.used_behind(op) if v is not target]
        if all(memory.roots(v).isdisjoint(roots) for v in others):
            yield op


class _Places:
    """Where the operations and the values of a graph stand."""

    def __init__(self, graph: Graph) -> None:
        self.blocks: dict[Operation, tuple[Block, int]] = {}
        self.parents: dict[Block, Operation] = {}
        for block in walk_blocks(graph.body):
            for k, op in enumerate(block.operations):
                self.blocks[op] = block, k
                self.parents.update(dict.fromkeys(op.blocks, op))

    def is_local(self, value: Value, op: Operation) -> bool:
        """Is the value made in the block of ``op``, with nothing but branches and loops around?"""
        block, _ = self.blocks[op]
        if value not in block.params and (value.owner is None or self.blocks[value.owner][0] is not block):
            return False
        while block in self.parents:
            around = self.parents[block]
            if block not in around.handing_on:
                return False
            block, _ = self.blocks[around]
        return True

    def used_behind(self, op: Operation) -> Iterator[Value]:
        """The values that may be used after ``op`` and have been made before."""
        while True:
            block, place = self.blocks[op]
            made = set(op.outputs)
            for later in block.operations[place + 1 :]:
                yield from (v for v in (*later.inputs, *free_values(later)) if v not in made)
                made.update(later.outputs)
            yield from (v for v in block.results if v not in made)
            if block not in self.parents:
                return
            op = self.parents[block]
            if op.is_loop:  # the next iteration
                yield from free_values(op)
