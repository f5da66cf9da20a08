"""Graphs of single calls, of which the record of a tape becomes one graph."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from runtime.graph import Graph
from runtime.graph.effects import Memory, effects_of
from runtime.types import ArrayType


class Fragment:
    """The graph of one call: ``params`` says which of its leaves each parameter is, ``written`` which of them
    are written."""

    engine = "numpy"

    def __init__(self, name: str, graph: Graph, params: Sequence[int]) -> None:
        self.name = name
        self.graph = graph
        self.params = params

    @functools.cached_property
    def written(self) -> list[int]:
        return [self.params[k] for k in written_params(self.graph)]

    @functools.cached_property
    def is_opaque(self) -> bool:
        """Is code called of which nothing else is known?"""
        return any(op.calls_python for op in self.graph.operations())


def written_params(graph: Graph) -> list[int]:
    """The parameters that are arrays, and that may be written."""
    memory = Memory(graph, distinct_params=True)
    roots: set[Any] = set()
    for op in graph.operations():
        for k in effects_of(op).writes:
            roots |= memory.roots(op.inputs[k])
    return [
        k
        for k, p in enumerate(graph.params)
        if isinstance(p.type, ArrayType) and not memory.roots(p).isdisjoint(roots)
    ]
