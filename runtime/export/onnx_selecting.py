"""Linear algebra, sorting, and picking items."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.export.onnx_nodes import BOOL, INT64, Call, NotExportable, Rule, truth
from runtime.export.onnx_reductions import number_dtype
from runtime.ops.promotion import normalize_axis


def matmul(c: Call) -> str:
    return c.emit("MatMul", *c.inputs())


def conv2d(c: Call) -> str:
    """ONNX has the channels before the height, and the kernel's outputs first. Its Conv takes no ints."""
    if c.out.dtype.kind != "f":
        raise NotExportable(f"a convolution of {c.out.dtype.name} has no form")
    x, kernel = c.inputs()
    x, kernel = c.emit("Transpose", x, perm=[0, 3, 1, 2]), c.emit("Transpose", kernel, perm=[3, 2, 0, 1])
    steps, rates = list(c.attributes["strides"]), list(c.attributes["rates"])
    return c.emit("Transpose", c.emit("Conv", x, kernel, strides=steps, dilations=rates), perm=[0, 2, 3, 1])


def einsum(c: Call) -> str:
    return c.emit("Einsum", *c.inputs(), equation=c.attributes["subscripts"].replace(" ", ""))


def sorted_items(output: int) -> Rule:
    def rule(c: Call) -> str:
        axis = c.attributes.get("axis", -1)
        dtype = c.types[0].dtype
        x = c.input(0, dtype)
        if axis is None or not c.ndim():
            x, axis = c.nodes.flat(x), 0
        else:
            axis = normalize_axis(axis, c.ndim())
        return in_order(c, x, axis, dtype)[output]

    return rule


def in_order(c: Call, x: str, axis: int, dtype: np.dtype[Any]) -> tuple[str, str]:
    """The items of an array in their order along an axis, and their places; NaN is the last."""
    wide = number_dtype(dtype)
    count = c.nodes.vector(c.nodes.length(x, axis))
    top = lambda name: c.nodes.emit_several("TopK", [name, count], 2, axis=axis, largest=0, sorted=1)
    if dtype.kind != "f":
        items, places = top(c.nodes.cast(x, dtype, wide))
        return c.nodes.cast(items, wide, dtype), places
    is_nan = c.emit("IsNaN", x)
    places = top(c.emit("Where", is_nan, c.number(np.inf, dtype), x))[1]
    last = c.emit("GatherElements", c.nodes.cast(is_nan, BOOL, np.dtype("int32")), places, axis=axis)
    places = c.emit("GatherElements", places, top(last)[1], axis=axis)
    return c.emit("GatherElements", x, places, axis=axis), places


def take_along(c: Call) -> str:
    axis = c.attributes.get("axis", -1)
    if axis is None:
        raise NotExportable("np.take_along_axis of the flat array has no form")
    axis = normalize_axis(axis, c.ndim())
    x, index = c.input(0), c.input(1, INT64)
    spread = c.emit("Expand", x, _all_but(c, index, axis)), c.emit("Expand", index, _all_but(c, x, axis))
    return c.emit("GatherElements", *spread, axis=axis)


def _all_but(c: Call, name: str, axis: int) -> str:
    """The lengths of an array, with 1 for an axis."""
    is_axis = np.arange(c.ndim()) == axis
    kept = c.emit("Mul", c.nodes.shape(name), c.nodes.constant((~is_axis).astype(np.int64)))
    return c.emit("Add", kept, c.nodes.constant(is_axis.astype(np.int64)))


def nonzero(c: Call) -> list[str]:
    found = c.emit("NonZero", truth(c, 0))
    return [c.emit("Gather", found, c.number(k, INT64), axis=0) for k in range(c.ndim())]
