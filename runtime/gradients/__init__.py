"""Derivatives of graphs: rewrites from a graph to a graph. Knows the graph, its operations and
passes, no tracer."""

from autograph.loading import later

later(__name__, "expand", "reverse")
