"""Move what a loop computes anew each time, always alike, before the loop.

>>> from runtime.formats.parse import parse
>>> print(hoist_loop_invariants(parse('''
... graph f(x: float, n: int) -> float:
...     total: float = for i: int in range(0, n, 1) with total: float = 0.0:
...         step: float = py.mul(x, x)
...         total.2: float = py.add(total, step)
...         yield total.2
...     return total
... ''')), end="")
graph f(x: float, n: int) -> float:
    step: float = py.mul(x, x)
    total: float = for i: int in range(0, n, 1) with total: float = 0.0:
        total.2: float = py.add(total, step)
        yield total.2
    return total

What may raise stays: the loop may run no time at all, or print something first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, item_places, walk
from runtime.graph.effects import Memory, Roots, memory_of
from runtime.graph.liveness import used_values
from runtime.graph.rewrite import Rebuild


def hoist_loop_invariants(graph: Graph) -> Graph:
    loops = [op for op in graph.operations() if op.is_loop]
    places = cache(lambda: item_places.ItemPlaces(graph))  # few loops ask for it
    invariant = {loop: found for loop in loops if (found := _invariant(loop, memory_of(graph), places))}
    return _Hoist(invariant).graph(graph) if invariant else graph


def _invariant(
    loop: Operation, memory: Memory, places: Callable[[], item_places.ItemPlaces]
) -> dict[Operation, None]:
    """The operations of a loop's own blocks that compute alike in each iteration.

    Inner loops come later: what leaves an inner loop lands in this one's body, and moves on with the
    next round of passes.
    """
    inside: set[Value] = set()
    for block in loop.blocks:
        inside.update(block.params)
        inside.update(output for op in block.operations for output in op.outputs)
    written = memory.writes_inside(loop)
    writers = [op for block in loop.blocks for op in walk(block) if not op.blocks and memory.writes(op)]
    found: dict[Operation, None] = {}
    for block in loop.blocks:
        for op in block.operations:
            if inside.isdisjoint(used_values(op)) and (
                _may_move(op, written, memory) or _reads_other_item(op, writers, memory, places)
            ):
                if not op.is_constant:
                    debug.fired("alike in every iteration", op)
                found[op] = None
                inside.difference_update(op.outputs)
    return found


def _may_move(op: Operation, written: Roots, memory: Memory) -> bool:
    if not memory.is_pure(op) or not memory.reads(op).isdisjoint(written):
        return False
    return all(map(memory.is_anonymous, op.outputs))


def _reads_other_item(
    op: Operation, writers: list[Operation], memory: Memory, places: Callable[[], item_places.ItemPlaces]
) -> bool:
    """Does it read one item of an array, surely there, and the loop writes others only?"""
    if not op.is_load or not places().is_inside(op):
        return False
    read = memory.reads(op)
    return all(
        memory.writes(writer).isdisjoint(read) or (writer.is_store and places().are_apart(op, writer))
        for writer in writers
    )


class _Hoist(Rebuild):
    """A loop's invariant operations are rebuilt into the block before it."""

    def __init__(self, invariant: dict[Operation, dict[Operation, None]]) -> None:
        super().__init__()
        self.invariant = invariant

    def operation(self, op: Operation, block: Block) -> None:
        hoisted = self.invariant.get(op)
        if hoisted is None:
            block.append(self.copy(op))
            return
        inputs = self.of(op.inputs)
        for moved in hoisted:
            self.operation(moved, block)
        blocks = tuple([self.without(nested, hoisted) for nested in op.blocks])
        block.append(self.derive(op, inputs, blocks))

    def without(self, block: Block, hoisted: dict[Operation, None]) -> Block:
        rest = [op for op in block.operations if op not in hoisted]
        return self.block(Block(block.params, rest, block.results, block.ends))
