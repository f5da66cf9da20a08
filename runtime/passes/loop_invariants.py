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

from runtime import debug
from runtime.graph.core import Block, Graph, Operation, Value
from runtime.graph.effects import Memory, Roots
from runtime.graph.liveness import used_values
from runtime.graph.rewrite import Rebuild


def hoist_loop_invariants(graph: Graph) -> Graph:
    return _Hoist(Memory(graph)).graph(graph)


class _Hoist(Rebuild):
    """A loop's blocks are rebuilt with ``landing`` being the block before the loop."""

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self.memory = memory

    def operation(self, op: Operation, block: Block) -> None:
        if op.name not in ("while", "for"):
            block.append(self.copy(op))
            return
        inputs = self.of(op.inputs)
        hoisted = self.hoist(op, block)
        blocks = tuple([self.without(nested, hoisted) for nested in op.blocks])
        block.append(self.derive(op, inputs, blocks))

    def hoist(self, loop: Operation, landing: Block) -> set[Operation]:
        """Rebuild the invariant operations of a loop into the block before it; returns them.

        Inner loops come later: what leaves an inner loop lands in this one's body, and moves on
        with the next round of passes.
        """
        inside: set[Value] = set()
        for block in loop.blocks:
            inside.update(block.params)
            inside.update(output for op in block.operations for output in op.outputs)
        written = self.memory.writes_inside(loop)
        hoisted: set[Operation] = set()
        for block in loop.blocks:
            for op in block.operations:
                if inside.isdisjoint(used_values(op)) and self.is_invariant(op, written):
                    if op.name != "constant":
                        debug.fired("alike in every iteration", op)
                    super().operation(op, landing)
                    hoisted.add(op)
                    inside.difference_update(op.outputs)
        return hoisted

    def is_invariant(self, op: Operation, written: Roots) -> bool:
        memory = self.memory
        if not memory.is_pure(op) or not memory.reads(op).isdisjoint(written):
            return False
        return all(memory.is_anonymous(value) for value in op.outputs)

    def without(self, block: Block, hoisted: set[Operation]) -> Block:
        rest = [op for op in block.operations if op not in hoisted]
        return self.block(Block(block.params, rest, block.results, block.ends))
