"""Rules of whole arrays: reductions over axes, scans along one (loops), products, sorting, picking items."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.export.onnx_nodes import BOOL, INT64, Call, NotExportable, Rule, nested, truth, value_info
from runtime.ops.promotion import normalize_axes, normalize_axis
from runtime.types import ArrayType


def axes_of(c: Call) -> list[int]:
    """The axes of a reduction, all of them where none is said."""
    axis, ndim = c.attributes.get("axis"), c.ndim()
    if axis is None or not ndim:
        return list(range(ndim))
    return list(normalize_axes(axis, ndim))


def reduced(kind: str) -> Rule:
    return lambda c: reduced_by(c, kind, c.input(0, number_dtype(c.dtype)))


def number_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("int32") if dtype == BOOL else dtype


def reduced_by(c: Call, kind: str, x: str, keepdims: bool | None = None) -> str:
    """A reduction over the axes, and the cast to bools where these are the result."""
    axes = axes_of(c)
    if not axes:
        return c.nodes.cast(c.emit("Identity", x), number_dtype(c.dtype), c.dtype)
    keep = bool(c.attributes.get("keepdims")) if keepdims is None else keepdims
    found = c.emit(kind, x, c.nodes.ints(*axes), keepdims=int(keep))
    return found if keepdims is not None else c.nodes.cast(found, number_dtype(c.dtype), c.dtype)


def extreme(kind: str) -> Rule:
    return lambda c: extreme_of(c, kind, c.input(0, number_dtype(c.dtype)))


def extreme_of(c: Call, kind: str, x: str) -> str:
    """A maximum or minimum, which is NaN where one of the items is."""
    keep = bool(c.attributes.get("keepdims"))
    if not axes_of(c):
        return reduced_by(c, kind, x)
    if c.dtype.kind != "f":
        return unless_empty(c, x, reduced_by(c, kind, x), c.dtype)
    strange = c.nodes.cast(c.emit("IsNaN", x), BOOL, INT64)
    found = c.emit("Greater", reduced_by(c, "ReduceSum", strange, keep), c.number(0, INT64))
    best = unless_empty(c, x, reduced_by(c, kind, x, keep), c.dtype)
    return c.emit("Where", found, c.number(math.nan), best)


def unless_empty(c: Call, x: str, found: str, dtype: np.dtype[Any]) -> str:
    """The result of a reduction, which fails, as NumPy does, where there is no item to choose from."""
    if all(c.types[0].shape):
        return found
    lengths = c.nodes.shape(x)
    if c.attributes.get("axis") is not None:
        lengths = c.emit("Gather", lengths, c.nodes.ints(*axes_of(c)), axis=0)
    empty = c.emit("Equal", c.emit("ReduceProd", lengths, keepdims=0), c.number(0, INT64))
    one = c.emit("Gather", c.nodes.ints(1), c.nodes.cast(empty, BOOL, INT64), axis=0)
    wide = number_dtype(dtype)
    kept = c.emit("Mul", c.nodes.cast(found, dtype, wide), c.nodes.cast(one, INT64, wide))
    return c.nodes.cast(kept, wide, dtype)


def where_best(kind: str) -> Rule:
    """The place of the largest or smallest item; of a NaN, where there is one."""

    def rule(c: Call) -> str:
        axis, keep = c.attributes.get("axis"), int(bool(c.attributes.get("keepdims")))
        dtype = c.types[0].dtype
        x = c.input(0, number_dtype(dtype))
        if axis is None:
            if keep and c.ndim() != 1:
                raise NotExportable(f"{c.op.name} of the whole array keeps its dimensions")
            x, axis = c.nodes.flat(x), 0
        axis = normalize_axis(axis, max(c.ndim(), 1))
        best = unless_empty(c, x, c.emit(kind, x, axis=axis, keepdims=keep), INT64)
        if dtype.kind != "f":
            return best
        strange = c.nodes.cast(c.emit("IsNaN", x), BOOL, np.dtype("int32"))
        some = c.emit("ReduceMax", strange, c.nodes.ints(axis), keepdims=keep)
        first = c.emit("ArgMax", strange, axis=axis, keepdims=keep)
        return c.emit("Where", c.nodes.cast(some, np.dtype("int32"), BOOL), first, best)

    return rule


def along(c: Call, scan: Callable[[str, int, int], str]) -> str:
    """A scan of an array along an axis, and of this rank; of the flat array where no axis is said."""
    x = c.input(0)
    axis = c.attributes.get("axis", 0 if c.op.name == "ufunc_accumulate" else None)
    if axis is None or not c.ndim():
        return scan(c.nodes.flat(x), 0, 1)
    return scan(x, normalize_axis(axis, c.ndim()), c.ndim())


def cumsum(c: Call) -> str:
    return along(c, lambda x, axis, _: c.emit("CumSum", x, c.number(axis, INT64)))


def accumulated(kind: str) -> Rule:
    """A scan with an operation of two numbers, as a loop over the axis."""
    return lambda c: along(c, lambda x, axis, rank: scan_by_loop(c, kind, x, axis, rank))


_ACCUMULATED = {"maximum": "Max", "minimum": "Min"}


def accumulate(c: Call) -> str:
    kind = _ACCUMULATED.get(c.attributes["ufunc"])
    if kind is None:
        raise NotExportable(f"np.{c.attributes['ufunc']}.accumulate has no form")
    return along(c, lambda x, axis, rank: scan_by_loop(c, kind, x, axis, rank))


def scan_by_loop(c: Call, kind: str, x: str, axis: int, rank: int) -> str:
    """Loop over the slices along an axis: the carried one is combined with each, and all are stacked."""
    nodes = c.nodes
    i, going, carried = nodes.fresh("i"), nodes.fresh("going"), nodes.fresh("carried")
    with nodes.graph() as body:
        item = nodes.emit("Gather", x, i, axis=axis)
        first = nodes.emit("Equal", i, nodes.number(0, INT64))
        combined = nodes.emit("Where", first, item, nodes.emit(kind, carried, item))
        outputs = [nodes.emit("Identity", name) for name in (going, combined, combined)]
    of_item, truth, counted = ArrayType(c.dtype, ()), ArrayType(BOOL, ()), ArrayType(INT64, ())
    graph = nested(
        body, nodes.fresh("scan"),
        [value_info(i, counted), value_info(going, truth), value_info(carried, of_item, True)],
        [value_info(outputs[0], truth), *[value_info(name, of_item, True) for name in outputs[1:]]],
    )  # fmt: skip
    start = nodes.emit("Squeeze", nodes.emit(
        "Slice", x, nodes.ints(0), nodes.ints(1), nodes.ints(axis)), nodes.ints(axis))  # fmt: skip
    _, stacked = nodes.emit_several("Loop", [nodes.length(x, axis), "", start], 2, body=graph)
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
    return nodes.emit("Transpose", stacked, perm=order)


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
