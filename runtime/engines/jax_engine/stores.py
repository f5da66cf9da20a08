"""Stores to objects from outside: a run notes the last of each place, and they are made when it has ended.

Until then nobody sees them: what the function itself reads of the place, its trace knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from runtime.engines.jax_engine.lists import Cell
from runtime.engines.jax_engine.operations import typed, zeros_of
from runtime.graph.core import Graph
from runtime.graph.operations import Operation, Value
from runtime.graph.versions import NoForm
from runtime.ops.definition import REGISTRY
from runtime.types import ArrayType, ObjectType


def is_store(op: Operation) -> bool:
    return REGISTRY[op.name].family == "store"


class Stores:
    """The places of a graph that are stored to, and the stores to each."""

    def __init__(self, graph: Graph) -> None:
        self.params = graph.params
        self.cells: dict[Any, Cell] = {}
        self.stores: dict[Cell, list[Operation]] = {}
        for op in filter(is_store, graph.operations()):
            cell = self.cells.setdefault(_place(op), Cell(None, True))
            self.stores.setdefault(cell, []).append(op)

    def begin(self) -> dict[Any, Any]:
        """Nothing is stored."""
        return {cell: self._state(-1, [list(map(zeros_of, _kinds(op))) for op in stores])
                for cell, stores in self.stores.items() if all(map(self._is_plain, stores))}  # fmt: skip

    def _state(self, which: int, values: list[list[Any]]) -> dict[str, Any]:
        found = {f"{k}.{n}": x for k, xs in enumerate(values) for n, x in enumerate(xs)}
        return {"which": jnp.asarray(which), **found}

    def cell(self, op: Operation) -> Cell:
        return self.cells[_place(op)]

    def note(self, graph: Any, op: Operation) -> None:
        cell = self.cell(op)
        if not all(map(self._is_plain, self.stores[cell])):
            raise NoForm(
                f"{op.name} of what may be seen elsewhere, or in a place that a run chooses", "return it"
            )
        k = self.stores[cell].index(op)
        new = {f"{k}.{n}": typed(graph.value(v), v.type) for n, v in enumerate(_values(op))}
        graph.names[cell] = {**graph.names[cell], **new, "which": jnp.asarray(k)}

    def make(self, states: Sequence[dict[str, Any]], arguments: Sequence[Any], on_host: Any) -> None:
        """``states``: of each place, in order, what the run noted."""
        for stores, state in zip(self.stores.values(), states, strict=True):
            which = int(state["which"])
            if which >= 0:
                op = stores[which]
                given = [self._object(op.inputs[0], arguments)] if is_store(op) else []
                given += [on_host(state[f"{which}.{n}"], kind) for n, kind in enumerate(_kinds(op))]
                kernel: Any = REGISTRY[op.name].kernel
                kernel(*given, **op.attributes)

    def _is_plain(self, op: Operation) -> bool:
        """Are numbers stored, in a place that is known while tracing?"""
        key = op.attributes.get("key", "")
        known = type(key) is str or (type(key) is int and key >= 0)
        if is_store(op) and (target := op.inputs[0]) not in self.params:
            known = known and target.owner is not None and target.owner.is_constant
        numbers = not any(isinstance(kind, ObjectType | ArrayType) for kind in _kinds(op))
        return known and numbers and not op.attributes.keys().isdisjoint(("name", "key"))

    def _object(self, target: Value, arguments: Sequence[Any]) -> Any:
        if target in self.params:
            return arguments[self.params.index(target)]
        assert target.owner is not None
        return target.owner.attributes["value"]


def _values(op: Operation) -> Sequence[Value]:
    return op.inputs[1:] if is_store(op) else op.inputs


def _kinds(op: Operation) -> list[Any]:
    return [value.type for value in _values(op)]


def _place(op: Operation) -> Any:
    """What two stores to one place agree in."""
    names = [
        (key, x if type(x) in (str, int) else id(x)) for key, x in op.attributes.items() if key in _NAMES
    ]
    return op.inputs[0] if is_store(op) else None, op.name.split("_")[-1], tuple(names)


_NAMES = ("name", "key", "namespace", "cell")
