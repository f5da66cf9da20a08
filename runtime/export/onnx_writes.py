"""Writes into arrays, in a language that has values only: each write makes a new version.

An array has a *holder*, the value that is no view. What is read is always its newest version: views of memory
that the graph writes are made anew where they are used. A write through a view is a write into its holder at
the places that the view shows: the same view of the places, counted from 0, says which these are. Other
values that may be the same array (what an `if` chose, what a loop carries) are stale after a write, and
refused where they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from runtime.export.onnx_call import Call
from runtime.export.onnx_errors import NotExportable
from runtime.export.onnx_indexing import indexed
from runtime.export.onnx_table import RULES
from runtime.graph import Graph, Operation, Value, walk
from runtime.graph.effects import Memory, effects_of
from runtime.ops.definition import REGISTRY
from runtime.ops.indexing import Dynamic, is_mask
from runtime.types import ArrayType

#: ``inplace`` and ``ufunc_out`` -> the operation that computes what they write
_WRITERS = frozenset({"setitem", "inplace", "copyto", "fill", "ufunc_out", "sort_inplace"})


#: views where the memory of the array lies in order, copies elsewhere
_MAYBE_VIEWS = frozenset({"reshape", "ravel", "asarray", "astype"})


class Writes:
    """What is written in a graph: which values are views of it, and which hold versions of it."""

    def __init__(self, graph: Graph) -> None:
        self.memory = Memory(graph, distinct_params=True)
        self.params = frozenset(graph.params)

    def is_view(self, value: Value) -> bool:
        """Is it a view of memory that the graph writes?"""
        maker = value.owner
        if maker is None or maker.blocks or not isinstance(value.type, ArrayType):
            return False
        return effects_of(maker).view_of is not None and self.memory.is_written(value)

    def base(self, value: Value) -> Value:
        """What the view is a view of. Raises NotExportable where it may be a copy as well."""
        assert value.owner is not None
        view_of = effects_of(value.owner).view_of
        assert view_of is not None
        base = value.owner.inputs[view_of]
        in_order = base.owner is not None and REGISTRY[base.owner.name].family == "creation"
        if value.owner.name in _MAYBE_VIEWS and not in_order:
            raise NotExportable(f"{value.owner.name} gives a view or a copy, and one of the two is written")
        return base

    def holder(self, value: Value) -> Value:
        """The value that holds the newest version of what is written through this one."""
        while self.is_view(value):
            value = self.base(value)
        inputs = self.memory.roots(value) & self.params
        if inputs:
            name = next(iter(inputs)).hint or "x"  # type: ignore[union-attr]
            hint = f"work on a copy: {name} = {name}.copy()"
            raise NotExportable(f"`{name}` is written, which is an input", hint)
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
    writes = not op.blocks and not op.outputs and REGISTRY[op.name].family in ("memory", "indexing")
    return writes and op.name != "check_writable"


def written(c: Call, whole: str, places: str | None) -> str:
    """The new version of the holder. ``whole``: its version now; ``places``: those of the view."""
    kind = c.op.name
    if kind == "setitem":
        return _set_items(c, whole, places)
    if kind not in _WRITERS:
        raise NotExportable(f"{kind} has no form")
    target = c.types[0]
    current = whole if places is None else _read(c, whole, places)
    if kind in ("copyto", "fill"):
        value = c.input(1, target.dtype)
    elif kind == "sort_inplace":
        value = _other(c, "sort", [current], {"axis": c.attributes.get("axis", -1)}, c.op.inputs[:1])
    else:
        names = [current, *c.names[1:]] if kind == "inplace" else list(c.names[1:])
        inputs = c.op.inputs if kind == "inplace" else c.op.inputs[1:]
        value = _other(c, c.attributes["ufunc"], names, {}, inputs)
    if places is None:
        return c.emit("Expand", value, c.nodes.shape(whole))
    return _scatter(c, whole, places, value)


def _other(c: Call, name: str, names: list[str], attributes: dict[str, Any], inputs: Any) -> str:
    """What another operation gives, in the dtype of what is written."""
    rule = RULES.get(REGISTRY[name].family, {}).get(name) if name in REGISTRY else None
    infer = REGISTRY[name].infer if name in REGISTRY else None
    if rule is None or infer is None:
        raise NotExportable(f"{name} has no form")
    (kind,) = (infer(tuple([value.type for value in inputs]), **attributes),)
    made = Operation(name, inputs, (kind,), attributes)  # type: ignore[arg-type]
    found = rule(Call(made, names, c.nodes))
    assert isinstance(found, str)
    return c.nodes.cast(found, made.output.type.dtype, c.types[0].dtype)  # type: ignore[union-attr]


def _read(c: Call, whole: str, places: str) -> str:
    return c.emit("Gather", c.nodes.flat(whole), places, axis=0)


def _scatter(c: Call, whole: str, places: str, value: str) -> str:
    """``value``, spread over the places, in the flat array; then its shape again."""
    spread = c.emit("Expand", value, c.nodes.shape(places))
    flat = c.emit("ScatterElements", c.nodes.flat(whole), c.nodes.flat(places), c.nodes.flat(spread), axis=0)
    return c.emit("Reshape", flat, c.nodes.shape(whole))


def _set_items(c: Call, whole: str, places: str | None) -> str:
    """``x[index] = value``."""
    index, dynamic = c.attributes["index"], c.types[2:]
    target, value = c.types[0], c.types[1]
    masks = [item for item in index if isinstance(item, Dynamic) and is_mask(dynamic[item.index])]
    arrays = [
        item for item in index if isinstance(item, Dynamic) and dynamic[item.index].ndim and item not in masks
    ]
    if arrays and value.ndim:
        raise NotExportable(
            "items are assigned by an index array: which of two equal indices is last is not known in ONNX"
        )
    new = c.input(1, target.dtype)
    if masks and len(index) == 1 and not value.ndim and places is None:
        mask = c.names[2 + masks[0].index]
        missing = target.ndim - dynamic[masks[0].index].ndim
        if missing:
            ndim = dynamic[masks[0].index].ndim
            mask = c.emit("Unsqueeze", mask, c.nodes.ints(*range(ndim, ndim + missing)))
        return c.emit("Where", mask, new, whole)
    shown = indexed(c, c.nodes.positions(whole) if places is None else places, index, 2)
    return _scatter(c, whole, shown, new)
