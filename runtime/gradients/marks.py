"""The operations that stand for derivatives until they are expanded (expand.py)."""

from __future__ import annotations

from runtime.graph import Graph

MARKS = frozenset({"gradient", "tangent", "custom_gradient", "checkpoint", "watch", "record"})


def has_derivatives(graph: Graph) -> bool:
    """Is there something to expand, in functions of the graph, too?"""
    return any(op.name in MARKS for part in graph.whole() for op in part.operations())
