"""Items that a program adds to in place: ``x[i] += v`` leaves the adjoint of the item as it is.

What the program does is a read, an addition and a store. Undone one by one, the adjoint of the item would
be read, set to zero and added to the zero again; and each step would wait for the one before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from runtime.graph import Block, Operation, Value
from runtime.graph.effects import Memory
from runtime.ops.indexing import is_basic
from runtime.types import ArrayType


class Updates:
    """``stores`` and ``reads``: the operations of the updates of items in these blocks, the outermost first.

    ``constant``: operations that do not count.
    """

    def __init__(self, blocks: Sequence[Block], memory: Memory, constant: Collection[Operation]) -> None:
        self.memory = memory
        self.constant = frozenset(constant)
        self.stores: set[Operation] = set()
        self.reads: set[Operation] = set()
        if any(op.is_store for block in blocks for op in block.operations):
            self._uses = Counter(_used(blocks[0]))
            for block in blocks:
                self._block(block)

    def _block(self, block: Block) -> None:
        places = {op: k for k, op in enumerate(block.operations)}
        for store in block.operations:
            read = self._read_of(store) if store.is_store else None
            made = store.inputs[1].owner if read is not None else None
            if read is None or made not in places or read not in places:
                continue
            if not self.constant.isdisjoint((read, made, store)):
                continue
            roots = self.memory.roots(store.inputs[0])
            between = block.operations[places[read] + 1 : places[store]]
            if all(self.memory.writes_inside(op).isdisjoint(roots) for op in between):
                self.stores.add(store)
                self.reads.add(read)

    def _read_of(self, store: Operation) -> Operation | None:
        """What reads the item that ``store`` puts back with something added, and is used for nothing else."""
        array, value, *dynamic = store.inputs
        made = value.owner
        if made is None or made.name not in ("add", "subtract") or self._uses[value] > 1:
            return None
        if not is_basic(store.attributes["index"], [i.type for i in dynamic]):
            return None
        for term in made.inputs[: 2 if made.has("commutative") else 1]:
            read = term.owner
            if (
                read is not None
                and read.is_load
                and read.inputs == (array, *dynamic)
                and read.attributes["index"] == store.attributes["index"]
                and not isinstance(term.type, ArrayType)
                and term.type == value.type
                and value.dtype == array.dtype
                and self._uses[term] == 1
            ):
                return read
        return None


def blocks_of(block: Block) -> Iterator[Block]:
    """The block, and all that stand in it."""
    yield block
    for op in block.operations:
        for nested in op.blocks:
            yield from blocks_of(nested)


def _used(block: Block) -> Iterator[Value]:
    """The values that are used, each as often as it is."""
    yield from block.results
    for op in block.operations:
        yield from op.inputs
        for nested in op.blocks:
            yield from _used(nested)
