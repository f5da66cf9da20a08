"""What is done to a graph before it runs: calls are inlined, what nobody uses is left out, an engine found.

What has no effect is no part of a graph, even where it could fail: that is TensorFlow's rule. Machine code
takes long to make, and that must pay.
"""

from __future__ import annotations

import math

from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.functions import inline_calls
from runtime.ops import REGISTRY
from runtime.types import ArrayType

#: in a graph of more operations the kernels take the time, and machine code would take seconds to make
_SMALL = 200

#: machine code takes milliseconds an operation to make, and saves about a nanosecond for each number that
#: need not go to memory and back: with so many for each operation it pays after some hundreds of calls
_LARGE = 10_000


def engine_for(graph: Graph, jit: bool) -> str:
    """Which engine runs a graph."""
    return "auto" if jit or _has_small_loops(graph) or _has_large_arrays(graph) else "numpy"


def _has_small_loops(graph: Graph) -> bool:
    """Is it worth machine code: loops of few operations each?"""
    operations = list(graph.operations())
    return len(operations) <= _SMALL and any(op.is_loop for op in operations)


def _has_large_arrays(graph: Graph) -> bool:
    """Is it worth machine code: elementwise operations that share their passes over large arrays?"""
    operations = list(graph.operations())
    return sum(map(_numbers_passed, operations)) > _LARGE * len(operations)


def _numbers_passed(op: Operation) -> int:
    """How many numbers an elementwise operation or a reduction goes over, as far as that is known."""
    if op.name not in REGISTRY or REGISTRY[op.name].family not in ("elementwise", "reduction"):
        return 0
    types = [value.type for value in (*op.inputs, *op.outputs)]
    return max([math.prod(n or 1 for n in t.shape) for t in types if isinstance(t, ArrayType)], default=0)


def in_one(graph: Graph) -> Graph:
    """A copy that calls no functions of the graph; what nobody uses of their results is not computed."""
    made = inline_calls(graph)
    prune(made.body)
    return made


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
