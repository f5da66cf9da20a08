"""The graphs that users see: those of a trace, as traced and after the passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograph import optional_packages
from runtime.graph import Graph

if TYPE_CHECKING:
    from tensorboard.compat.proto.graph_pb2 import GraphDef


class ShownGraph(Graph):
    """A graph that shows itself to TensorBoard."""

    __slots__ = ()

    @classmethod
    def of(cls, graph: Graph) -> ShownGraph:
        return cls(graph.name, graph.body, graph.info, graph.functions, graph.found)

    def as_graph_def(self) -> GraphDef:
        """The graph as a GraphDef, a protocol buffer. It needs the extra `tensorboard`."""
        with optional_packages.needing("tensorboard", "as_graph_def"):
            from runtime.formats.graph_def import to_graph_def
        return to_graph_def(self)
