"""Functions of a graph (recursion) in reverse mode: each becomes two, a forward and a backward part.

    y = @f(x)                           y, y' = @f.forward(x, x', words, objects)
                                        x.adjoint = @f.backward(y.adjoint, words, objects)

Numbers have adjoints that are values, handed back by the backward part; arrays have shadow memory,
handed in beside them. What the backward part needs lies on the stacks.
"""

from __future__ import annotations

from runtime.gradients.scope import adjoint_type, is_smooth
from runtime.graph import Graph, Value
from runtime.graph.effects import effects_of
from runtime.graph.rewrite import Rebuild
from runtime.types import ArrayType


class Functions:
    """The functions that a gradient needs; ``todo`` are those whose parts are still to be written."""

    def __init__(self, graph: Graph) -> None:
        self.table = graph.functions
        self.todo: list[str] = []
        #: may memory be written anywhere, so that what a function was given may hold something else later?
        self.write = any(effects_of(op).writes for part in graph.whole() for op in part.operations())
        self._names: dict[str, tuple[str, str]] = {}

    def forward(self, name: str) -> str:
        """The name of the forward part of a function."""
        if name not in self._names:
            self._names[name] = self._fresh(f"{name}.forward"), self._fresh(f"{name}.backward")
            self.todo.append(name)
        return self._names[name][0]

    def backward(self, name: str) -> str:
        """The name of its backward part."""
        return self._names[name][1]

    def _fresh(self, name: str) -> str:
        """A name that no function has: one that is differentiated again has such parts already."""
        taken = {*self.table, *(part for parts in self._names.values() for part in parts)}
        return next(n for n in (name, *(f"{name}{k}" for k in range(2, 100_000))) if n not in taken)

    def copy(self, name: str) -> Graph:
        """The function itself, to be made its forward part."""
        return Rebuild().graph(self.table[name])


def numbers(values: tuple[Value, ...] | list[Value]) -> list[Value]:
    """Those whose adjoint a call hands over as a value."""
    return [v for v in values if is_smooth(v.type) and not isinstance(v.type, ArrayType)]


__all__ = ["Functions", "adjoint_type", "numbers"]
