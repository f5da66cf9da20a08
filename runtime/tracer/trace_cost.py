"""What a copy of operations costs: the time that machine code takes to be made, against what it saves.

Measured on programs of one kind of operation each: a unit is what arithmetic on a number takes, 0.3 to
0.5 ms. An array that is made or written is a loop nest, in versions for several layouts, which takes 5 to
40 ms; to copy it saves next to nothing in a run, so that it counts for more. What calls NumPy is a call.
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime.graph import Operation
from runtime.graph.effects import effects_of
from runtime.ops.definition import REGISTRY
from runtime.types import ArrayType

#: all copies of a loop's body together may cost this much, a third of a second, ...
MAX_COST = 800
#: ... or this, a second, where to stage the loop would make lists of the run of lists of the trace
MAX_COST_WITH_LISTS = 2600

NEST = 100
CONTROL = 10
CALL = 4

_ONE_BY_ONE = frozenset({"elementwise", "reduction", "scan", "conversion", "creation"})


def cost_of(operations: Iterable[Operation]) -> int:
    """The cost of operations, with those of their blocks."""
    return sum(own_cost(one) + sum(cost_of(block.operations) for block in one.blocks) for one in operations)


def own_cost(operation: Operation) -> int:
    """The cost of one operation, without its blocks."""
    definition = REGISTRY[operation.name]
    if definition.family == "constant" or operation.name == "landing":
        return 0
    if operation.blocks:
        return CONTROL
    if definition.family in ("indexing", "memory") and effects_of(operation).writes:
        return NEST if _is_array(operation.inputs[-1].type) else CALL
    if definition.family in _ONE_BY_ONE:
        parts = (*operation.inputs, *operation.outputs)
        return NEST if any(_is_array(value.type) for value in parts) else 1
    return CALL if definition.native is None else 1


def _is_array(kind: object) -> bool:
    return isinstance(kind, ArrayType) and kind.ndim > 0
