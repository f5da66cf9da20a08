"""Building ONNX nodes: names, constants, casts, nested graphs; what rules are made of; refusals.

>>> nodes = Nodes()
>>> one = nodes.constant(np.float32(1))
>>> nodes.emit("Add", one, one)
'Add.1'
>>> [node.op_type for node in nodes.scope]
['Add']

What ONNX Runtime has kernels for on a CPU; of other dtypes, a node becomes one of a wider one, and casts.

Sums of uint64 wrap as those of int64 do, and a float16 is a float32 that is rounded: what comes out is
the same. Where no dtype serves, the operation is refused by name: a model that cannot be loaded is of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    defs,
    helper,
    numpy_helper,
    shape_inference,
)

from autograph.errors import StagingError
from runtime.engines.tracebacks import located
from runtime.graph import Operation
from runtime.graph.versions import NoForm
from runtime.types import ArrayType, NumericType, join_dtypes


class Nodes:
    """The nodes of a model under construction. Those that are emitted go into the innermost graph."""

    def __init__(self) -> None:
        self.initializers: list[TensorProto] = []
        self._scopes: list[list[NodeProto]] = [[]]
        self._constants: dict[tuple[Any, ...], str] = {}
        self._names: dict[str, int] = {}
        self.operation: Operation | None = None  # that nodes are made for now
        self.made_by: dict[str, Operation] = {}

    @property
    def scope(self) -> list[NodeProto]:
        """The nodes of the innermost graph."""
        return self._scopes[-1]

    def fresh(self, base: str) -> str:
        """A name that nothing else has."""
        number = self._names[base] = self._names.get(base, 0) + 1
        return f"{base}.{number}"

    def emit(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output; its name."""
        (output,) = self.emit_several(kind, inputs, 1, **attributes)
        return output

    def emit_several(self, kind: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        """Add a node with several outputs."""
        names = [self.fresh(kind) for _ in range(outputs)]
        if self.operation is not None:
            self.made_by.update(dict.fromkeys(names, self.operation))
        self.scope.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def keep_used(self, nodes: int, constants: int, result: str) -> None:
        """Of what came after the first ``nodes`` and ``constants``, keep what ``result`` is made from."""
        wanted, kept = {result}, []
        for node in reversed(self.scope[nodes:]):
            if not wanted.isdisjoint(node.output):
                kept.append(node)
                wanted.update(node.input)
        self.scope[nodes:] = kept[::-1]
        left = {one.name for one in self.initializers[constants:]} - wanted
        self.initializers[constants:] = [c for c in self.initializers[constants:] if c.name in wanted]
        self._constants = {key: name for key, name in self._constants.items() if name not in left}

    @contextmanager
    def graph(self) -> Iterator[list[NodeProto]]:
        """What is emitted inside the ``with`` goes into a nested graph."""
        self._scopes.append([])
        try:
            yield self.scope
        finally:
            self._scopes.pop()

    # -- constants ---------------------------------------------------------------------------------------

    def constant(self, value: Any) -> str:
        """A constant of the model, each once."""
        array = np.asarray(value)
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            name = self._constants[key] = self.fresh("const")
            self.initializers.append(numpy_helper.from_array(array, name))
        return self._constants[key]

    def ints(self, *values: int) -> str:
        """A vector of int64: axes, shapes."""
        return self.constant(np.array(values, np.int64))

    def number(self, value: Any, dtype: np.dtype) -> str:
        """A number of this dtype."""
        return self.constant(np.array(value, dtype))

    # -- small compositions ------------------------------------------------------------------------------

    def cast(self, name: str, found: np.dtype, wanted: np.dtype) -> str:
        """The same numbers in another dtype."""
        if found.newbyteorder("=") == wanted.newbyteorder("="):
            return name
        return self.emit("Cast", name, to=element_type(wanted))

    def vector(self, name: str) -> str:
        """A number as a vector of one."""
        return self.emit("Unsqueeze", name, self.ints(0))

    def shape(self, name: str) -> str:
        return self.emit("Shape", name)

    def length(self, name: str, axis: int) -> str:
        """The length of an axis, as a number."""
        return self.emit("Gather", self.shape(name), self.number(axis, np.dtype("int64")), axis=0)

    def reshape(self, name: str, *lengths: int) -> str:
        return self.emit("Reshape", name, self.ints(*lengths), allowzero=1)

    def flat(self, name: str) -> str:
        return self.emit("Reshape", name, self.ints(-1))

    def positions(self, name: str) -> str:
        """The places of the items of an array, counted from 0, in its shape."""
        int64 = np.dtype("int64")
        count = self.emit("Range", self.number(0, int64), self.emit("Size", name), self.number(1, int64))
        return self.emit("Reshape", count, self.shape(name))


def element_type(dtype: np.dtype) -> int:
    """ONNX's number for a dtype."""
    return helper.np_dtype_to_tensor_dtype(dtype.newbyteorder("="))


def value_info(name: str, kind: NumericType, open_rank: bool = False) -> ValueInfoProto:
    """The declaration of an input or output; lengths that are not known have a name each."""
    lengths = None if open_rank else [f"{name}_{k}" if n is None else n for k, n in enumerate(kind.shape)]
    return helper.make_tensor_value_info(name, element_type(kind.dtype), lengths)


def nested(nodes: Sequence[NodeProto], name: str, inputs: Sequence[ValueInfoProto],
           outputs: Sequence[ValueInfoProto]) -> GraphProto:  # fmt: skip
    return helper.make_graph(list(nodes), name, list(inputs), list(outputs))


# -- refusals ------------------------------------------------------------------------------------------

NotExportable = NoForm


def refusal(op: Operation, function: str, reason: str, hint: str | None = None) -> StagingError:
    """The error (not raised) for an operation, at the user's line."""
    error = StagingError(
        f"{function}() cannot be exported to ONNX: {reason}",
        hint=hint or "compute this outside the exported function, or with other operations of NumPy",
    )
    return located(error, op.location)


# -- one operation that is being exported --------------------------------------------------------------


BOOL, INT64, FLOAT64 = np.dtype(bool), np.dtype("int64"), np.dtype("float64")


@dataclass
class Call:
    """One operation that is being exported."""

    op: Operation
    names: Sequence[str]
    nodes: Nodes

    @property
    def emit(self) -> Callable[..., str]:
        return self.nodes.emit

    @property
    def types(self) -> list[NumericType]:
        return [value.numeric for value in self.op.inputs]

    @property
    def out(self) -> NumericType:
        """The type of the (first) result."""
        return self.op.outputs[0].numeric

    @property
    def dtype(self) -> np.dtype:
        return self.out.dtype

    @property
    def attributes(self) -> dict[str, Any]:
        return self.op.attributes

    def input(self, k: int, dtype: np.dtype | None = None) -> str:
        """The k-th operand, in the dtype of the result or another."""
        wanted = (dtype or self.dtype).newbyteorder("=")
        maker = self.op.inputs[k].owner
        if maker is not None and maker.is_constant and not isinstance(self.types[k], ArrayType):
            return self.nodes.constant(np.asarray(maker.attributes["value"]).astype(wanted))
        return self.nodes.cast(self.names[k], self.types[k].dtype, wanted)

    def inputs(self, dtype: np.dtype | None = None) -> list[str]:
        return [self.input(k, dtype) for k in range(len(self.names))]

    def raw(self, k: int) -> str:
        return self.names[k]

    def common(self) -> np.dtype:
        """The dtype in which NumPy compares the operands."""
        types = self.types
        return join_dtypes(types[0], types[1]) if len(types) > 1 else types[0].dtype

    def number(self, value: Any, dtype: np.dtype | None = None) -> str:
        return self.nodes.number(value, dtype or self.dtype)

    def ndim(self, k: int = 0) -> int:
        return self.types[k].ndim


Rule = Callable[[Call], "str | list[str]"]


def unary(kind: str) -> Rule:
    return lambda c: c.emit(kind, c.input(0))


def truth(c: Call, k: int) -> str:
    return c.input(k, BOOL)


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
