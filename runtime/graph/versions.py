"""Writes into arrays, in a language that has values only: each write makes a new version.

An array has a *holder*, the value that is no view. What is read is always its newest version: views of memory
that the graph writes are made anew where they are used. A write through a view is a write into its holder at
the places that the view shows: the same view of the places, counted from 0, says which these are. Other
values that may be the same array (what an `if` chose, what a loop carries) are stale after a write, and
refused where they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from runtime.graph.core import Graph
from runtime.graph.effects import Memory, effects_of
from runtime.graph.operations import Operation, Value, walk
from runtime.ops.definition import REGISTRY
from runtime.types import ArrayType

_INT64 = np.dtype("int64")


class NoForm(Exception):
    """An operation has no form in such a language; says why, and what to write instead."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


class Writes:
    """What is written in a graph: which values are views of it, and which hold versions of it.

    ``inputs``: may what the caller gave be written? Its newest version is then a result. What may be one of
    several inputs may not.
    """

    def __init__(self, graph: Graph, inputs: bool = False) -> None:
        self.memory = Memory(graph, distinct_params=True)
        targets = [op.inputs[0] for op in graph.operations() if is_write(op)]
        self.written = frozenset().union(*map(self.memory.roots, targets))
        self.params = frozenset(graph.params)
        self.inputs = inputs

    def is_written(self, value: Value) -> bool:
        """Is the array written by an operation of the graph? What lists and objects do is no such write."""
        return not self.memory.roots(value).isdisjoint(self.written)

    def is_view(self, value: Value) -> bool:
        """Is it a view of memory that the graph writes?"""
        maker = value.owner
        if maker is None or maker.blocks or not isinstance(value.type, ArrayType):
            return False
        return effects_of(maker).view_of is not None and self.is_written(value)

    def base(self, value: Value) -> Value:
        """What the view is a view of. Raises NoForm where it may be a copy as well."""
        assert value.owner is not None
        view_of = effects_of(value.owner).view_of
        assert view_of is not None
        base = value.owner.inputs[view_of]
        in_order = base.owner is not None and REGISTRY[base.owner.name].family == "creation"
        if effects_of(value.owner).copies and not in_order:
            raise NoForm(f"{value.owner.name} gives a view or a copy, and one of the two is written")
        return base

    def holder(self, value: Value) -> Value:
        """The value that holds the newest version of what is written through this one."""
        while self.is_view(value):
            value = self.base(value)
        inputs = self.params & self.memory.roots(value)
        if inputs and not (self.inputs and value in self.params):
            name = next(iter(inputs)).hint or "x"
            hint = f"work on a copy: {name} = {name}.copy()"
            raise NoForm(f"`{name}` is written, which is an input", hint)
        return value

    def others(self, holder: Value, known: Iterable[Value]) -> list[Value]:
        """Which values may be the same array, and are no views whose newest version is known.

        ``known``: in the order in which they were made. What was made before a new array is another one, even
        where it may be what an earlier round of a loop has made in that place.
        """
        roots, values = self.memory.roots(holder), list(known)
        if roots == frozenset({holder}):
            values = values[values.index(holder) :]
        return [
            value
            for value in values
            if value is not holder
            and not roots.isdisjoint(self.memory.roots(value))
            and not self.is_view(value)
        ]

    def holders_in(self, operation: Operation, known: Mapping[Value, str]) -> list[Value]:
        """The values made before an operation whose arrays its blocks write, in order of the first write."""
        inside = [op for block in operation.blocks for op in walk(block)]
        targets = [self.holder(op.inputs[0]) for op in inside if is_write(op)]
        return [value for value in dict.fromkeys(targets) if value in known]


def is_write(op: Operation) -> bool:
    """Does the operation do nothing but write into its first operand?"""
    alone = not op.blocks and not op.outputs and REGISTRY[op.name].family in ("memory", "indexing")
    return alone and bool(effects_of(op).writes)


class Versions:
    """A graph in such a language, under construction: what each value is now."""

    def __init__(self, writes: Writes) -> None:
        self.writes = writes
        #: what each value is, of arrays that are written the newest version
        self.names: dict[Any, Any] = {}
        #: values that may be an array of which another value holds the newest version
        self.stale: set[Value] = set()

    def call(self, op: Operation, names: Sequence[Any]) -> Sequence[Any]:
        """What an operation without blocks gives."""
        raise NotImplementedError

    def all_positions(self, whole: Any) -> Any:
        """The places of an array, counted from 0, in its shape."""
        raise NotImplementedError

    def value(self, value: Value) -> Any:
        """A value now. Of a view of memory that is written, a view of the newest version."""
        if value in self.stale:
            raise NoForm("an array that may be one of several is read after one of them was written")
        if not self.writes.is_view(value):
            return self.names[value]
        assert value.owner is not None
        (found,) = self.call(value.owner, [self.value(operand) for operand in value.owner.inputs])
        return found

    def new_version(self, holder: Value, version: Any) -> None:
        self.names[holder] = version
        self.stale.update(self.writes.others(holder, self.names))

    def written_by(self, op: Operation) -> list[Value]:
        """The holders that the blocks of an operation write; values that may be the same are stale then."""
        holders = self.writes.holders_in(op, self.names)
        for holder in holders:
            self.value(holder)
            self.stale.update(self.writes.others(holder, self.names))
        return holders

    def places(self, view: Value) -> Any:
        """The places in the holder, counted from 0, that a view shows."""
        if not self.writes.is_view(view):
            return self.all_positions(self.names[view])
        assert view.owner is not None
        base = self.writes.base(view)
        return self.shown(view.owner, base, self.places(base))

    def shown(self, maker: Operation, base: Value, places: Any) -> Any:
        """Which of the places of an array an operation shows, whose result is a view of it."""
        names = [places if value is base else self.value(value) for value in maker.inputs]
        counted = [Value(ArrayType(_INT64, v.shape)) if v is base else v for v in maker.inputs]
        kind = ArrayType(_INT64, maker.output.shape)
        (found,) = self.call(Operation(maker.name, tuple(counted), (kind,), maker.attributes), names)
        return found
