"""What each operation is in ONNX: one table.

A rule takes a `Call` (the operation, the names of its operands, and the nodes to add to) and gives the
name of the result, or a list of names. An operation that is missing from `RULES` has no form in ONNX.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.export import onnx_reductions as reductions
from runtime.export import onnx_selecting as selecting
from runtime.export import onnx_shapes as shapes
from runtime.export.onnx_call import INT64, Rule, unary
from runtime.export.onnx_elements import element_rules
from runtime.export.onnx_indexing import getitem
from runtime.export.onnx_written import written_rules


def _of(module: Any, names: str) -> dict[str, Rule]:
    return {name: getattr(module, name) for name in names.split()}


#: operation -> rule
RULES: dict[str, Rule] = {
    **element_rules(),
    **dict.fromkeys(("cast", "astype", "real"), unary("Identity")),
    **_of(reductions, "cumsum"), "ufunc_accumulate": reductions.accumulate,
    "sum": reductions.reduced("ReduceSum"), "prod": reductions.reduced("ReduceProd"),
    "max": reductions.extreme("ReduceMax"), "min": reductions.extreme("ReduceMin"),
    "argmax": reductions.where_best("ArgMax"), "argmin": reductions.where_best("ArgMin"),
    "cumprod": reductions.accumulated("Mul"),
    **_of(shapes, "reshape reshape_like broadcast_like sum_like expand_dims squeeze concatenate split tile"),
    **_of(shapes, "broadcast_to pad full like eye arange"),
    **dict.fromkeys(("ravel", "flatten"), shapes.flat), "broadcast_array": shapes.broadcast_to,
    **{f.__name__: shapes.permuted(f) for f in (np.transpose, np.swapaxes, np.moveaxis, np.rollaxis)},
    "array": shapes.array_of, **dict.fromkeys(("copy", "asarray"), shapes.copied),
    "zeros": shapes.filled(0), "ones": shapes.filled(1), "empty": shapes.filled(0),
    **dict.fromkeys(("shadow_like", "zero_of"), shapes.zeros_of),
    **_of(selecting, "median matmul einsum conv2d take nonzero unique"),
    "sort": selecting.sorted_items(0), "argsort": selecting.sorted_items(1),
    "take_along_axis": selecting.take_along, "linalg.det": unary("Det"), "getitem": getitem,
    "dim": lambda c: c.nodes.length(c.raw(0), c.attributes["axis"] % c.ndim()),
    "py.range_length": lambda c: shapes.range_length(c.nodes, *c.inputs(INT64)),
}  # fmt: skip
written_rules(RULES)
