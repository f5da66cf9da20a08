"""The keys and the items of a dict instead of a list of pairs, where each pair is only taken apart.

    pairs = dict.items(table)                   keys = list.of(table)
                                                values = dict.values(table)
    n = list.len(pairs)                   ->    n = list.len(keys)
    key, value = list.getitem(pairs, i)         key = list.getitem(keys, i)
                                                value = list.getitem(values, i)

So ``for key, value in table.items()`` makes no tuples.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.rewrite import Rebuild
from runtime.types import ContainerType


def split_pairs(graph: Graph) -> Graph:
    found = {op.output for op in graph.operations() if op.makes_pairs and _is_of_dict(op)}
    found -= set(graph.results) if found else set()
    for op in graph.operations() if found else ():
        found.difference_update(*[block.results for block in op.blocks])
        found.difference_update(op.inputs if not _takes_apart(op) else op.inputs[1:])
    return _SplitPairs(found).graph(graph) if found else graph


def _is_of_dict(op: Operation) -> bool:
    """Of one in which there may be items at all, whose pairs have two parts."""
    kind = op.output.type
    has_items = isinstance(kind, ContainerType) and kind.element is not None
    return has_items and isinstance(op.inputs[0].type, ContainerType) and "template" not in op.attributes


def _takes_apart(op: Operation) -> bool:
    """Is it a question for the length, or the reading of a pair into its parts?"""
    if op.is_item_of_list and op.attributes.keys() == {"reader"}:
        parts = op.attributes["reader"].of_parts()
        return len(parts) == 2 and all(part.types for part in parts)
    return op.is_length and not op.attributes


class _SplitPairs(Rebuild):
    def __init__(self, found: set[Value]) -> None:
        super().__init__()
        self.found = found
        self.columns: dict[Value, tuple[Value, Value]] = {}

    def operation(self, op: Operation, block: Block) -> None:
        pairs = op.inputs[0] if op.inputs else None
        if op.outputs and op.outputs[0] in self.found:
            debug.fired("pairs that are only taken apart", op)
            self._make(op, block)
        elif pairs not in self.columns:
            block.append(self.copy(op))
        elif op.is_length:
            self._append(block, op, "list.len", self.columns[pairs][0], op.outputs, {})
        else:
            self._read(op, block)

    def _make(self, op: Operation, block: Block) -> None:
        kind: Any = op.output.type
        table = self.values[op.inputs[0]]
        made: list[Value] = []
        for name, element in zip(("list.of", "dict.values"), kind.element.items, strict=True):
            column = replace(kind, element=element)
            new = Operation(name, (table,), (column,), {"type": column}, location=op.location)
            made.append(block.append(new).output)
        self.columns[op.output] = (made[0], made[1])

    def _read(self, op: Operation, block: Block) -> None:
        start = 0
        for column, reader in zip(
            self.columns[op.inputs[0]], op.attributes["reader"].of_parts(), strict=True
        ):
            outputs = op.outputs[start : start + len(reader.types)]
            self._append(block, op, "list.getitem", column, outputs, {"reader": reader})
            start += len(outputs)

    def _append(
        self,
        block: Block,
        op: Operation,
        name: str,
        column: Value,
        outputs: tuple[Value, ...],
        attributes: dict[str, Any],
    ) -> None:
        """An operation like this one, on a column."""
        inputs = (column, *self.of(op.inputs[1:]))
        types = tuple([value.type for value in outputs])
        new = block.append(Operation(name, inputs, types, attributes, location=op.location))
        self.replace(outputs, new.outputs)
