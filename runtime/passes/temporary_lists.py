"""No list for the sake of a copy: `sorted(set(xs))` and `list(text)` that is sorted at once.

    items = list.of(letters)            ordered = list.sorted(letters, False)
    ordered = list.sorted(items, False)

`sorted` and `list` take anything that is iterated over in Python's own code, and copy it themselves. Only
where the second operation comes right after the first is it sure that nothing has changed in between.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from runtime import debug
from runtime.graph import Block, Graph, Operation
from runtime.graph.rewrite import Rebuild
from runtime.types import STR, ContainerType

_COPIES = frozenset({"list.of", "list.sorted"})


def remove_temporary_lists(graph: Graph) -> Graph:
    uses = Counter(value for op in graph.operations() for value in op.inputs)
    blocks = [graph.body, *[block for op in graph.operations() for block in op.blocks]]
    uses.update(value for block in blocks for value in block.results)
    found = {
        copy: made
        for block in blocks
        for made, copy in pairwise(block.operations)
        if _is_temporary(made) and copy.name in _COPIES and copy.inputs[0] is made.output
        if uses[made.output] == 1
    }
    return _RemoveTemporaryLists(found).graph(graph) if found else graph


def _is_temporary(op: Operation) -> bool:
    if not op.copies_items or "template" in op.attributes:
        return False
    kind = op.inputs[0].type
    return isinstance(kind, ContainerType) or kind == STR


class _RemoveTemporaryLists(Rebuild):
    def __init__(self, found: dict[Operation, Operation]) -> None:
        super().__init__()
        self.found = found
        self.temporary = set(found.values())

    def operation(self, op: Operation, block: Block) -> None:
        if op in self.temporary:
            return
        if op not in self.found:
            block.append(self.copy(op))
            return
        debug.fired("a list that is only copied", op)
        first = op
        while first in self.found:
            first = self.found[first]
        block.append(self.derive(op, self.of((first.inputs[0], *op.inputs[1:])), ()))
