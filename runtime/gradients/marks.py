"""The operations that stand for derivatives until they are expanded (expand.py)."""

from __future__ import annotations

from runtime.graph import Graph

MARKS = frozenset({"gradient", "tangent", "custom_gradient", "remat", "watch", "record", "leave"})
#: what tapes around a function ask of it, which is gone from its own graph
FOR_TAPES = frozenset({"custom_gradient", "leave"})


def has_derivatives(graph: Graph, marks: frozenset[str] = MARKS) -> bool:
    """Is there something to expand, in functions of the graph, too?"""
    return any(op.name in marks for part in graph.whole() for op in part.operations())
