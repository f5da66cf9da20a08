"""What a write makes of an array in ONNX: its new version (runtime/graph/versions.py)."""

from __future__ import annotations

from typing import Any

from runtime.export.onnx_indexing import indexed
from runtime.export.onnx_nodes import Call, NotExportable
from runtime.export.onnx_table import RULES
from runtime.graph import Operation
from runtime.ops.definition import REGISTRY
from runtime.ops.indexing import Dynamic, is_mask

#: ``inplace`` and ``ufunc_out`` -> the operation that computes what they write
_WRITERS = frozenset({"setitem", "inplace", "copyto", "fill", "ufunc_out", "sort_inplace"})


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
    rule = RULES.get(name)
    if rule is None or name not in REGISTRY:
        raise NotExportable(f"{name} has no form")
    made = Operation.typed(name, inputs, attributes)
    found = rule(Call(made, names, c.nodes))
    assert isinstance(found, str)
    return c.nodes.cast(found, made.output.dtype, c.types[0].dtype)


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
