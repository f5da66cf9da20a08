"""When values die: what both engines ask in order to free arrays early.

A value used inside an operation's nested blocks counts as used by that operation: a loop body never
frees what was made outside the loop.

>>> from runtime.graph import Block, Graph, Operation, Value
>>> from runtime.types import FLOAT
>>> x = Value(FLOAT, "x")
>>> body = Block([x])
>>> square = body.append(Operation("py.mul", (x, x), (FLOAT,)))
>>> body.results = square.outputs
>>> last_uses(Graph("square", body)).after[square]
(<Value x: float>,)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from autograph.records import record
from runtime.graph.core import Graph
from runtime.graph.operations import Block, Operation, Value


@record(frozen=False)
class Liveness:
    """The deaths of values. Values that a block yields are not in any list: they flow out.

    after:   values that die once the operation has run (unused outputs of its own included)
    entering: the part of ``after`` that an operation with blocks needs only as its input, not in its
             blocks: once a loop has copied its initial state, that reference can be dropped
    unused:  parameters of a block that nothing uses
    """

    after: dict[Operation, tuple[Value, ...]] = field(default_factory=dict)
    entering: dict[Operation, tuple[Value, ...]] = field(default_factory=dict)
    unused: dict[Block, tuple[Value, ...]] = field(default_factory=dict)


def last_uses(graph: Graph) -> Liveness:
    """For each operation, the values of its own block that nothing needs after it."""
    liveness = Liveness()
    _scan(graph.body, liveness)
    return liveness


def free_values(operation: Operation) -> dict[Value, None]:
    """The values from outside that the operation's nested blocks use, in order of first use."""
    free: dict[Value, None] = {}
    for block in operation.blocks:
        _add_free(block, free)
    return free


def free_in(block: Block) -> dict[Value, None]:
    """The values from outside that a block uses, in order of first use."""
    free: dict[Value, None] = {}
    _add_free(block, free)
    return free


def used_values(operation: Operation) -> dict[Value, None]:
    """The operation's inputs, and what its nested blocks use from outside."""
    return dict.fromkeys(operation.inputs) | free_values(operation)


def _scan(block: Block, liveness: Liveness) -> dict[Value, None]:
    """Fill in ``liveness`` for a block, backwards. Returns the values that it uses, own ones included."""
    seen = dict.fromkeys(block.results)  # everything used from here on
    own = set(block.params) | {output for op in block.operations for output in op.outputs}
    for op in reversed(block.operations):
        inner: dict[Value, None] = {}
        for nested in op.blocks:
            inner |= _scan(nested, liveness)
        candidates = dict.fromkeys(op.inputs) | inner | dict.fromkeys(op.outputs)
        dying = tuple([value for value in candidates if value in own and value not in seen])
        liveness.after[op] = dying
        if op.blocks:
            made = {*inner, *op.outputs}
            liveness.entering[op] = tuple([value for value in dying if value not in made])
        seen |= dict.fromkeys(op.inputs) | inner
    liveness.unused[block] = tuple([param for param in block.params if param not in seen])
    return {value: None for value in seen if value not in own}


def _add_free(block: Block, free: dict[Value, None]) -> None:
    made = set(block.params)
    for op in block.operations:
        for value in op.inputs:
            if value not in made:
                free.setdefault(value)
        for value in free_values(op):
            if value not in made:
                free.setdefault(value)
        made.update(op.outputs)
    for value in block.results:
        if value not in made:
            free.setdefault(value)


def walk_blocks(block: Block) -> Iterator[Block]:
    """The block and all blocks nested in it, outermost first."""
    yield block
    for op in block.operations:
        for nested in op.blocks:
            yield from walk_blocks(nested)
