"""What each operation is in ONNX: one table, by family.

A rule takes a `Call` (the operation, the names of its operands, and the nodes to add to) and gives the
name of the result, or a list of names. A family that is missing from `RULES`, or an operation of it, has no
form in ONNX.
"""

from __future__ import annotations

import numpy as np

from runtime.export import onnx_indexing
from runtime.export.onnx_call import Rule, unary
from runtime.export.onnx_elements import element_rules
from runtime.export.onnx_numbers import length_of_range
from runtime.export.onnx_reductions import accumulate, accumulated, cumsum, extreme, reduced, where_best
from runtime.export.onnx_selecting import (
    conv2d,
    einsum,
    matmul,
    median,
    nonzero,
    sorted_items,
    take,
    take_along,
    unique,
)
from runtime.export.onnx_shapes import (
    arange,
    array_of,
    broadcast_like,
    broadcast_to,
    by_probe,
    concatenate,
    copied,
    expand_dims,
    eye,
    filled,
    flat,
    full,
    like,
    pad,
    permuted,
    reshape,
    reshape_like,
    split,
    squeeze,
    sum_like,
    tile,
    zeros_of,
)  # fmt: skip
from runtime.export.onnx_written import written_rules

#: families of operations of elements, which have formulas
_OF_ELEMENTS = (
    "elementwise", "scalar", "python arithmetic", "python bits", "python float", "python comparison",
    "python conversion", "python choice",
)  # fmt: skip

#: family -> operation -> rule
RULES: dict[str, dict[str, Rule]] = {family: element_rules(family) for family in _OF_ELEMENTS} | {
    "python int": {"py.range_length": length_of_range},
    "conversion": {
        "cast": lambda c: c.emit("Identity", c.input(0)),
        "astype": lambda c: c.emit("Identity", c.input(0)),
    },
    "reduction": {
        "sum": reduced("ReduceSum"), "prod": reduced("ReduceProd"), "max": extreme("ReduceMax"),
        "min": extreme("ReduceMin"), "median": median,
        "argmax": where_best("ArgMax"), "argmin": where_best("ArgMin"),
    },
    "scan": {
        "cumsum": cumsum, "cumprod": accumulated("Mul"), "ufunc_accumulate": accumulate,
    },
    "indexing": {"getitem": onnx_indexing.getitem},
    "convolution": {"conv2d": conv2d},
    "shape": {
        "reshape": reshape, "reshape_like": reshape_like,
        "broadcast_like": broadcast_like, "sum_like": sum_like,
        "ravel": flat, "flatten": flat,
        "broadcast_to": broadcast_to, "broadcast_array": broadcast_to,
        "transpose": permuted(
            lambda ndim, axes=None: range(ndim)[::-1] if axes is None else [a % ndim for a in axes]
        ),
        "swapaxes": permuted(by_probe(np.swapaxes)),
        "moveaxis": permuted(by_probe(np.moveaxis)),
        "rollaxis": permuted(by_probe(np.rollaxis)),
        "expand_dims": expand_dims, "squeeze": squeeze, "real": unary("Identity"),
        "concatenate": concatenate, "split": split, "tile": tile, "pad": pad,
    },
    "creation": {
        "array": array_of, "copy": copied, "asarray": copied, "zeros": filled(0), "ones": filled(1),
        "empty": filled(0), "full": full, "like": like, "eye": eye, "arange": arange,
    },
    "linear algebra": {
        "matmul": matmul, "einsum": einsum,
        "linalg.det": lambda c: c.emit("Det", c.input(0)),
    },
    "sorting": {
        "sort": sorted_items(0), "argsort": sorted_items(1), "take": take, "take_along_axis": take_along,
        "nonzero": nonzero, "unique": unique,
    },
    "shadow": {"shadow_like": zeros_of},
    "memory": {
        "dim": lambda c: c.nodes.length(c.raw(0), c.attributes["axis"] % c.ndim()),
    },
}  # fmt: skip
RULES["elementwise"]["zero_of"] = zeros_of
written_rules(RULES)
