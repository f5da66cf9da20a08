"""The graph: a traced function as operations in program order.

>>> from runtime.graph.operations import Operation, Value
>>> from runtime.types import FLOAT
>>> graph = Graph("double", Block([Value(FLOAT, "x")]))
>>> x, = graph.params
>>> y = graph.body.append(Operation("add", (x, x), (FLOAT,))).outputs[0]
>>> graph.body.results = (y,)
>>> print(graph, end="")
graph double(x: float) -> float:
    _1: float = add(x, x)
    return _1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from autograph.records import record
from runtime.graph import literals, text
from runtime.graph.operations import Block, Operation, Value, walk
from runtime.messages import OF_A_SIGNATURE, shortened


@record(frozen=False, eq=False)
class Graph:
    """A traced function. ``params`` are its flat inputs, ``results`` its flat outputs.

    ``info`` is for people and tools: the trace's decisions, the signature it was made for.
    ``functions`` are the graphs that its ``call_function`` operations call by name: recursion. They
    share this one table. ``found`` is what passes found out about the graph as it stands (see
    ``effects.memory_of``); a pass that changes something makes a new graph.
    """

    name: str
    body: Block
    info: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Graph] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)

    @property
    def params(self) -> list[Value]:
        return self.body.params

    @property
    def results(self) -> tuple[Value, ...]:
        return self.body.results

    def operations(self) -> Iterator[Operation]:
        """Every operation, nested ones after the one that holds them; not those of its functions."""
        return walk(self.body)

    def whole(self) -> Iterator[Graph]:
        """The graph itself and all functions that it may call."""
        yield self
        yield from (function for function in self.functions.values() if function is not self)

    def __repr__(self) -> str:
        takes = shortened(", ".join(f"{value.hint}: {value.type}" for value in self.params), OF_A_SIGNATURE)
        gives = shortened(", ".join(str(value.type) for value in self.results), OF_A_SIGNATURE)
        size = sum(1 for _ in self.operations())
        return f"<graph {self.name}({takes}) -> {gives or '()'}, {size} operations>"

    def __str__(self) -> str:
        return self.writer().text()

    def writer(self, objects: literals.Objects | None = None) -> text.Writer:
        """What writes the graph as text. ``objects`` collects what has no text form."""
        return text.Writer([(part.name, part.body) for part in self.whole()], objects)
