"""Operations that the native engine does not lower, as calls of the interpreter from inside machine code.

A ``try`` becomes a graph of its own over the values that it uses; in its place stands a ``call`` of that
graph's executable by the numpy engine. So one ``try`` does not push the whole function off machine code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.engines import numpy_engine
from runtime.graph import Block, Graph, Location, Operation, Value
from runtime.graph import functions as graph_functions
from runtime.graph.liveness import used_values
from runtime.graph.rewrite import Rebuild, clone, map_functions
from runtime.ops.template import Hole, Template

#: the operations that are interpreted
INTERPRETED = frozenset({"try"})


class Interpreted:
    """A graph that is called from machine code; it returns one result, or a tuple of several."""

    __qualname__ = "try"
    is_typed = True

    def __init__(self, graph: Graph) -> None:
        self.executable = numpy_engine.compile(graph)

    def __call__(self, *values: Any) -> Any:
        results: Sequence[Any] = self.executable(values)
        return results[0] if len(results) == 1 else tuple(results)


class _Outline(Rebuild):
    def __init__(self, functions: Mapping[str, Graph]) -> None:
        super().__init__()
        self.functions = functions  # as they are: the interpreter runs them, too

    def operation(self, op: Operation, block: Block) -> None:
        if op.name not in INTERPRETED:
            super().operation(op, block)
            return
        free = tuple(used_values(op))
        inside = _graph_of(op, free, self.functions)
        types = tuple(value.type for value in op.outputs)
        template = Template((tuple(Hole(k) for k in range(len(free))), {}))
        attributes = {"function": Interpreted(inside), "template": template, "outputs": types}
        inside_has_it = Location("", 0)  # what raises has its line from the interpreter
        made = block.append(Operation("call", self.of(free), types, attributes, (), inside_has_it))
        self.replace(op.outputs, made.outputs)


def _graph_of(op: Operation, free: tuple[Value, ...], functions: Mapping[str, Graph]) -> Graph:
    """A graph that does what ``op`` does; its parameters stand for the values that ``op`` uses."""
    body = Block(list(free), [op], op.outputs)
    return clone(Graph(op.name, body, functions=graph_functions.reachable(body, functions)))


def outline(graph: Graph) -> Graph:
    """``graph`` with its interpreted operations as calls; the graph itself where it has none."""
    if not any(op.name in INTERPRETED for part in graph.whole() for op in part.operations()):
        return graph
    return map_functions(graph, lambda part: _Outline(graph.functions).graph(part))
