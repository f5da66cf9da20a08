"""What nobody uses and has no effect is no part of a graph, even where it could fail: TensorFlow's rule."""

from __future__ import annotations

from runtime.graph import Block, Operation, Value
from runtime.graph.effects import effects_of


def prune(block: Block, used: set[Value] | None = None) -> None:
    """Leave out of a block what neither its results nor its effects need. Changes it in place."""
    used = set() if used is None else used
    used.update(block.results)
    kept: list[Operation] = []
    for op in reversed(block.operations):
        if not _has_effect(op) and used.isdisjoint(op.outputs):
            continue
        for nested in op.blocks:
            prune(nested, used)
        used.update(op.inputs)
        kept.append(op)
    block.operations = kept[::-1]


def _has_effect(op: Operation) -> bool:
    effects = effects_of(op)
    inner = (each for block in op.blocks for each in block.operations)
    return effects.ordered or bool(effects.writes) or any(map(_has_effect, inner))
