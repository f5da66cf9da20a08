"""Shapes: how arrays are turned, joined and made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.export.onnx_nodes import INT64, Call, Nodes, NotExportable, Rule
from runtime.ops.indexing import Dynamic
from runtime.ops.promotion import normalize_axes, normalize_axis
from runtime.ops.template import Hole


def shape_vector(c: Call, shape: Sequence[Any], first: int) -> str:
    """A shape of ints and dynamic ones; ``first`` is the place of dynamic input 0."""
    if not any(isinstance(n, Dynamic) for n in shape):
        return c.nodes.ints(*shape)
    parts = [
        c.nodes.vector(c.input(first + n.index, INT64)) if isinstance(n, Dynamic) else c.nodes.ints(n)
        for n in shape
    ]
    return c.emit("Concat", *parts, axis=0)


def in_order_of_fortran(c: Call) -> bool:
    """Are items counted in the order of Fortran, with the first axis fastest?"""
    order = c.attributes.get("order", "C")
    if order not in ("C", "F"):
        raise NotExportable(f"order={order!r} has no form")
    return order == "F"


def with_axes_reversed(c: Call, x: str, ndim: int) -> str:
    return c.emit("Transpose", x, perm=list(range(ndim))[::-1]) if ndim > 1 else x


def reshape(c: Call) -> str:
    shape = c.attributes["shape"]
    zero = int(0 in shape and -1 not in shape)
    if not in_order_of_fortran(c):
        return c.emit("Reshape", c.input(0), shape_vector(c, shape, 1), allowzero=zero)
    turned = with_axes_reversed(c, c.input(0), c.ndim())
    found = c.emit("Reshape", turned, shape_vector(c, shape[::-1], 1), allowzero=zero)
    return with_axes_reversed(c, found, len(shape))


def reshape_like(c: Call) -> str:
    if in_order_of_fortran(c):
        raise NotExportable("order='F' has no form")
    return c.emit("Reshape", c.input(0), c.nodes.shape(c.raw(1)))


def flat(c: Call) -> str:
    return c.nodes.flat(with_axes_reversed(c, c.input(0), c.ndim()) if in_order_of_fortran(c) else c.input(0))


def broadcast_to(c: Call) -> str:
    return c.emit("Expand", c.input(0), shape_vector(c, c.attributes["shape"], 1))


def broadcast_like(c: Call) -> str:
    return c.emit("Expand", c.input(0), c.nodes.shape(c.raw(1)))


def sum_like(c: Call) -> str:
    """The sums over the axes that the other lacks, or has of length 1."""
    x, shape, lead = c.input(0), c.nodes.shape(c.raw(1)), c.ndim(0) - c.ndim(1)
    wanted = c.emit("Concat", c.nodes.ints(*[1] * lead), shape, axis=0) if lead > 0 else shape
    if lead < 0:
        wanted = c.emit("Slice", shape, c.nodes.ints(-lead), c.nodes.ints(c.ndim(1)))
    axes = c.nodes.flat(c.emit("NonZero", c.emit("Equal", wanted, c.number(1, INT64))))
    summed = c.emit("ReduceSum", x, axes, keepdims=1, noop_with_empty_axes=1)
    if lead > 0:
        kept = c.emit("Slice", c.nodes.shape(summed), c.nodes.ints(lead), c.nodes.ints(c.ndim(0)))
        summed = c.emit("Reshape", summed, kept)
    return c.emit("Expand", summed, shape)


def permuted(function: Callable[..., Any]) -> Rule:
    """A transposition: where NumPy's function puts the axes of an array with lengths 2, 3, 4, ..."""

    def rule(c: Call) -> str:
        probe = np.broadcast_to(0, range(2, c.ndim() + 2))
        order = [n - 2 for n in function(probe, **c.attributes).shape]
        return c.emit("Transpose", c.input(0), perm=order) if order else c.emit("Identity", c.input(0))

    return rule


def expand_dims(c: Call) -> str:
    return c.emit("Unsqueeze", c.input(0), c.nodes.ints(*normalize_axes(c.attributes["axis"], c.out.ndim)))


def squeeze(c: Call) -> str:
    axis, shape = c.attributes.get("axis"), c.types[0].shape
    axes = (
        [k for k, n in enumerate(shape) if n == 1] if axis is None else list(normalize_axes(axis, c.ndim()))
    )
    return c.emit("Squeeze", c.input(0), c.nodes.ints(*axes)) if axes else c.emit("Identity", c.input(0))


def concatenate(c: Call) -> str:
    axis = c.attributes.get("axis", 0)
    if axis is None:
        return c.emit("Concat", *[c.nodes.flat(x) for x in c.inputs()], axis=0)
    return c.emit("Concat", *c.inputs(), axis=normalize_axis(axis, c.ndim()))


def split(c: Call) -> list[str]:
    axis = normalize_axis(c.attributes.get("axis", 0), c.ndim())
    lengths = [value.shape[axis] for value in c.op.outputs]
    known = [n for n in lengths if n is not None]
    if len(known) < len(lengths):
        raise NotExportable("np.split of an array whose length is not known has no form")
    return c.nodes.emit_several("Split", [c.input(0), c.nodes.ints(*known)], len(known), axis=axis)


def tile(c: Call) -> str:
    reps = tuple(c.attributes["reps"])
    x, ndim = c.input(0), c.ndim()
    if len(reps) > ndim:
        x = c.emit("Unsqueeze", x, c.nodes.ints(*range(len(reps) - ndim)))
    reps = (1,) * (ndim - len(reps)) + reps
    return c.emit("Tile", x, c.nodes.ints(*reps)) if reps else c.emit("Identity", x)


_MODES = {"constant": "constant", "edge": "edge", "reflect": "reflect", "wrap": "wrap"}


def pad(c: Call) -> str:
    mode = c.attributes.get("mode", "constant")
    if mode not in _MODES or len(c.names) > 2:
        raise NotExportable(f"np.pad with mode={mode!r} has no form")
    widths = np.broadcast_to(np.asarray(c.attributes["pad_width"]), (c.ndim(), 2))
    pads = c.nodes.ints(*map(int, widths[:, 0]), *map(int, widths[:, 1]))
    filled = [c.input(1)] if len(c.names) > 1 else []
    return c.emit("Pad", c.input(0), pads, *filled, mode=_MODES[mode])


def filled(value: int) -> Rule:
    def rule(c: Call) -> str:
        return c.emit("Expand", c.number(value), shape_vector(c, c.attributes["shape"], 0))

    return rule


def full(c: Call) -> str:
    return c.emit("Expand", c.input(0), shape_vector(c, c.attributes["shape"], 1))


def like(c: Call) -> str:
    values = {"zeros_like": 0, "ones_like": 1, "empty_like": 0}
    return c.emit("Expand", c.number(values[c.attributes["name"]]), c.nodes.shape(c.raw(0)))


def zeros_of(c: Call) -> str:
    return c.emit("Expand", c.number(0), c.nodes.shape(c.raw(0)))


def array_of(c: Call) -> str:
    """Nested lists of numbers and arrays, stacked from inside out."""

    def build(structure: Any) -> str:
        if isinstance(structure, Hole):
            return c.input(structure.index)
        if isinstance(structure, list | tuple) and structure:
            parts = [c.nodes.vector(build(part)) for part in structure]
            return c.emit("Concat", *parts, axis=0)
        return c.nodes.constant(np.array(structure, c.dtype))

    return build(c.attributes["template"].structure)


def copied(c: Call) -> str:
    missing = c.attributes.get("ndmin", 0) - c.ndim()
    if missing > 0:
        return c.emit("Unsqueeze", c.input(0), c.nodes.ints(*range(missing)))
    return c.emit("Identity", c.input(0))


def arange(c: Call) -> str:
    if c.dtype.kind not in "iuf" or c.dtype.name == "float16":
        raise NotExportable(f"np.arange of dtype {c.dtype} has no form")
    counted = INT64 if c.dtype.kind in "iu" else c.dtype  # ONNX counts in few dtypes
    bounds = c.inputs(counted)
    if len(bounds) == 1:
        bounds = [c.number(0, counted), *bounds]
    if len(bounds) == 2:
        bounds = [*bounds, c.number(1, counted)]
    return c.nodes.cast(c.emit("Range", *bounds), counted, c.dtype)


def eye(c: Call) -> str:
    rows, columns = c.attributes["rows"], c.attributes["columns"]
    shape = shape_vector(c, (rows, rows if columns is None else columns), 0)
    return c.emit("EyeLike", c.emit("Expand", c.number(0), shape), k=c.attributes["k"])


def range_length(nodes: Nodes, start: str, stop: str, step: str) -> str:
    """How many numbers there are in a range: (stop - start + step - sign) // step, at least 0."""
    emit, zero = nodes.emit, nodes.number(0, INT64)
    ends = emit("Sub", emit("Add", emit("Sub", stop, start), step), emit("Sign", step))
    quotient = emit("Div", emit("Sub", ends, emit("Mod", ends, step)), step)
    return emit("Max", quotient, zero)
