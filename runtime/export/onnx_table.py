"""What each operation is in ONNX: one table.

A rule takes a `Call` (the operation, the names of its operands, and the nodes to add to) and gives the
name of the result, or a list of names. An operation that is missing from `RULES` has no form in ONNX.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.export import onnx_arrays as arrays
from runtime.export import onnx_shapes as shapes
from runtime.export.onnx_elements import element_rules
from runtime.export.onnx_indexing import getitem
from runtime.export.onnx_nodes import INT64, Call, NotExportable, Rule, unary
from runtime.graph import Operation, Value
from runtime.ops.definition import NoDerivative
from runtime.ops.expressions import Expr
from runtime.ops.written import WRITTEN
from runtime.types import type_of

# -- operations that are written with others (runtime/ops/written.py), as the nodes of these -----------


class Steps:
    """The `Scope` of such a rule: each operation becomes its nodes at once."""

    def __init__(self, c: Call) -> None:
        self.nodes, self.names = c.nodes, dict(zip(c.op.inputs, c.names, strict=True))

    def constant(self, item: Any) -> Value:
        value = Operation("constant", (), (type_of(item),), {"value": item}).output
        self.names[value] = self.nodes.constant(item)
        return value

    def emit(self, name: str, inputs: Sequence[Value], attributes: dict[str, Any]) -> tuple[Value, ...]:
        op = Operation.typed(name, inputs, attributes)
        rule = RULES.get(name)
        if rule is None:
            raise NotExportable(f"{name} has no form")
        found = rule(Call(op, [self.names[value] for value in inputs], self.nodes))
        self.names.update(zip(op.outputs, found if isinstance(found, list) else [found], strict=True))
        return op.outputs


def _as_written(c: Call) -> list[str]:
    steps = Steps(c)
    attributes = {key: value for key, value in c.attributes.items() if value is not None or key != "dtype"}
    try:
        results = WRITTEN[c.op.name](*[Expr(value, steps) for value in c.op.inputs], **attributes)
    except TypeError as error:  # NumPy has another loop for these dtypes
        raise NotExportable(f"{c.op.name} of {' and '.join(map(str, c.types))} has no form") from error
    if isinstance(results, NoDerivative):
        raise NotExportable(f"{results.reason} has no form")
    found = []
    for result, output in zip(
        results if isinstance(results, tuple) else (results,), c.op.outputs, strict=True
    ):
        name = c.nodes.cast(steps.names[result.value], result.dtype, output.dtype)
        found.append(c.emit("Identity", name) if name in c.names else name)
    return found


def _of(module: Any, names: str) -> dict[str, Rule]:
    return {name: getattr(module, name) for name in names.split()}


#: operation -> rule
RULES: dict[str, Rule] = {
    **dict.fromkeys(WRITTEN, _as_written),
    **element_rules(),
    **dict.fromkeys(("cast", "astype", "real"), unary("Identity")),
    **_of(arrays, "cumsum"), "ufunc_accumulate": arrays.accumulate,
    "sum": arrays.reduced("ReduceSum"), "prod": arrays.reduced("ReduceProd"),
    "max": arrays.extreme("ReduceMax"), "min": arrays.extreme("ReduceMin"),
    "argmax": arrays.where_best("ArgMax"), "argmin": arrays.where_best("ArgMin"),
    "cumprod": arrays.accumulated("Mul"),
    **_of(shapes, "reshape reshape_like broadcast_like sum_like expand_dims squeeze concatenate split tile"),
    **_of(shapes, "broadcast_to pad full like eye arange"),
    **dict.fromkeys(("ravel", "flatten"), shapes.flat), "broadcast_array": shapes.broadcast_to,
    **{f.__name__: shapes.permuted(f) for f in (np.transpose, np.swapaxes, np.moveaxis, np.rollaxis)},
    "array": shapes.array_of, **dict.fromkeys(("copy", "asarray"), shapes.copied),
    "zeros": shapes.filled(0), "ones": shapes.filled(1), "empty": shapes.filled(0),
    **dict.fromkeys(("shadow_like", "zero_of"), shapes.zeros_of),
    **_of(arrays, "matmul einsum conv2d nonzero"),
    "sort": arrays.sorted_items(0), "argsort": arrays.sorted_items(1),
    "take_along_axis": arrays.take_along, "linalg.det": unary("Det"), "getitem": getitem,
    "dim": lambda c: c.nodes.length(c.raw(0), c.attributes["axis"] % c.ndim()),
    "py.range_length": lambda c: shapes.range_length(c.nodes, *c.inputs(INT64)),
}  # fmt: skip
