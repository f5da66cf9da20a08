"""What ONNX Runtime has kernels for on a CPU; of other dtypes, a node becomes one of a wider one, and casts.

Sums of uint64 wrap as those of int64 do, and a float16 is a float32 that is rounded: what comes out is
the same. Where no dtype serves, the operation is refused by name: a model that cannot be loaded is of no use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, defs, helper, shape_inference

from runtime.export.onnx_nodes import refusal
from runtime.graph import Operation

#: of the operators: the first with reductions over axes that are inputs, and with operations on bits
OPSET = 18
_NUMBERS = "u1 u2 u4 u8 i1 i2 i4 i8 f4 f8"
_SOME = "i4 i8 f4 f8"
#: kinds of nodes -> the dtypes that they have kernels for, where that is not all
_KERNELS: dict[str, str] = {
    **dict.fromkeys("Abs Add Sub Mul Div Neg Greater GreaterOrEqual Less LessOrEqual".split(), _NUMBERS),
    **dict.fromkeys("Ceil Floor Sqrt Exp Log Sin Cos Tanh".split(), "f4 f8"),
    **dict.fromkeys("Acos Acosh Asin Asinh Atan Atanh Conv Det Erf".split(), "f4"),
    **dict.fromkeys(("ReduceSum", "ReduceProd", "CumSum", "Einsum", "Pow"), _SOME),
    **dict.fromkeys(("ReduceMax", "ReduceMin"), "u1 i1 i4 i8 f4 f8"),
    **dict.fromkeys(("ArgMax", "ArgMin"), "u1 i1 i4 i8 f4 f8"),
    **dict.fromkeys(("Max", "Min"), "u1 u4 u8 i1 i4 i8 f2 f4 f8"),
    "Mod": f"{_NUMBERS} f2", "Equal": f"b1 {_NUMBERS}", "MatMul": "u4 u8 i4 i8 f4 f8",
    "TopK": "u1 i1 i2 i4 i8 f4 f8",
    "Where": "u1 u4 i1 i4 i8 f4 f8", "Pad": "b1 u1 u4 u8 i1 i4 i8 f4 f8", "Tile": f"b1 {_NUMBERS}",
    "BitShift": "u1 u4 u8", "Sign": _NUMBERS, "Relu": "i1 i4 f4 f8",
}  # fmt: skip
#: what serves for a dtype
_WIDER = {
    "b1": ("u1", "i4"), "u1": ("i4",), "i1": ("i4",), "u2": ("i4",), "i2": ("i4",), "u4": ("i8",),
    "u8": ("i8",), "i4": ("i8", "f8"), "f2": ("f4",),
}  # fmt: skip
#: the order of large unsigned numbers is another in int64
_ORDERED = frozenset({"ReduceMax", "ReduceMin", "ArgMax", "ArgMin", "TopK", "Pow"})


def with_kernels(model: ModelProto, made_by: Mapping[str, Operation], function: str) -> ModelProto:
    """The model with nodes that ONNX Runtime can run. Raises StagingError at what has none."""
    typed: ModelProto = shape_inference.infer_shapes(model)
    try:
        _rewrite(typed.graph, {})
    except _NoKernel as missing:
        kind, dtype, output = missing.args
        raise refusal(
            made_by[output], function, f"ONNX Runtime has no {kind} of {dtype.name} ({made_by[output].name})"
        ) from None
    return typed


class _NoKernel(Exception):
    """Of this kind, for this dtype; and the first output."""


def _rewrite(graph: GraphProto, around: Mapping[str, int]) -> None:
    types = {**around, **{one.name: one.data_type for one in graph.initializer}}
    for values in (graph.input, graph.output, graph.value_info):
        types.update({one.name: one.type.tensor_type.elem_type for one in values})
    nodes: list[NodeProto] = []
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rewrite(attribute.g, types)
        nodes += _with_kernel(node, types)
    del graph.node[:], graph.value_info[:]
    graph.node.extend(nodes)


def _with_kernel(node: NodeProto, types: Mapping[str, int]) -> Iterator[NodeProto]:
    if node.op_type not in _KERNELS:
        yield node
        return
    schema = defs.get_schema(node.op_type, OPSET, "")
    main = schema.inputs[1 if node.op_type == "Where" else 0].type_str
    inputs = _of_type(main, schema.inputs, node.input)
    dtype = helper.tensor_dtype_to_np_dtype(types[node.input[inputs[0]]])
    wide = _wider(node, dtype)
    if wide == dtype:
        yield node
        return
    made = NodeProto()
    made.CopyFrom(node)
    for k in inputs:
        made.input[k] = f"{node.output[0]}.wide{k}"
        yield helper.make_node(
            "Cast", [node.input[k]], [made.input[k]], to=helper.np_dtype_to_tensor_dtype(wide)
        )
    outputs = _of_type(main, schema.outputs, node.output)
    for k in outputs:
        made.output[k] = f"{node.output[k]}.wide"
    yield made
    for k in outputs:
        to = helper.np_dtype_to_tensor_dtype(dtype)
        yield helper.make_node("Cast", [made.output[k]], [node.output[k]], to=to)


def _of_type(main: str, formal: Iterable[defs.OpSchema.FormalParameter], names: Iterable[str]) -> list[int]:
    """The places of inputs or outputs that have the type which counts; the last formal one may be many."""
    kinds = [one.type_str for one in formal]
    return [k for k, name in enumerate(names) if name and kinds[min(k, len(kinds) - 1)] == main]


def _wider(node: NodeProto, dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    kernels = _KERNELS[node.op_type].split()
    text = dtype.str[1:]
    if text in kernels:
        return dtype
    for wide in _WIDER.get(text, ()):
        if wide in kernels and not (text == "u8" and node.op_type in _ORDERED):
            return np.dtype(wide)
    raise _NoKernel(node.op_type, dtype, node.output[0])
