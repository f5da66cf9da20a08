"""A graph as TensorFlow shows one: operations with names, types, inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime.board.extra import needing_tensorboard
from runtime.board.node_names import Naming, NodeNames
from runtime.gradients.scope import numeric
from runtime.graph import Graph, Value
from runtime.graph import Operation as GraphOperation
from runtime.graph.rewrite import constant_of
from runtime.tf.call_names import name_of
from runtime.tf.dtypes import DType, TensorShape, as_dtype

#: our names of operations -> TensorFlow's
TYPES = {
    "add": "AddV2",
    "subtract": "Sub",
    "multiply": "Mul",
    "true_divide": "RealDiv",
    "matmul": "MatMul",
    "negative": "Neg",
    "greater": "Greater",
    "less": "Less",
    "greater_equal": "GreaterEqual",
    "less_equal": "LessEqual",
    "equal": "Equal",
    "exp": "Exp",
    "log": "Log",
    "tanh": "Tanh",
    "sqrt": "Sqrt",
    "square": "Square",
    "absolute": "Abs",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "power": "Pow",
    "constant": "Const",
    "sum": "Sum",
    "mean": "Mean",
    "max": "Max",
    "min": "Min",
    "reshape": "Reshape",
    "transpose": "Transpose",
    "concatenate": "ConcatV2",
    "stack": "Pack",
    "take": "GatherV2",
    "getitem": "StridedSlice",
    "if": "If",
    "while": "While",
    "for": "While",
    "where": "SelectV2",
    "astype": "Cast",
    "cast": "Cast",
    "identity": "Identity",
    "arange": "Range",
    "dim": "Shape",
    "floor_divide": "FloorDiv",
    "remainder": "FloorMod",
    "logical_not": "LogicalNot",
    "logical_and": "LogicalAnd",
    "logical_or": "LogicalOr",
    "call": "PyFunc",
}
_EFFECTS = {
    "_print": "PrintV2",
    "_check": "Assert",
    "_scalar": "WriteScalarSummary",
    "_histogram": "WriteHistogramSummary",
    "_image": "WriteImageSummary",
    "_text": "WriteSummary",
}


class Operation:
    """`tf.Operation`."""

    def __init__(self, graph: GraphView, name: str, type: str, operation: GraphOperation | None) -> None:
        self.graph = graph
        self.name = name
        self.type = type
        self.device = ""
        self._operation = operation
        self.outputs: list[NamedTensor] = []

    @property
    def inputs(self) -> tuple[NamedTensor, ...]:
        if self._operation is None:
            return ()
        return tuple([self.graph._tensors[v] for v in self._operation.inputs if v in self.graph._tensors])

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class NamedTensor:
    """A tensor of a finished graph."""

    def __init__(self, op: Operation, index: int, value: Value) -> None:
        self.op = op
        self.name = f"{op.name}:{index}"
        self.graph = op.graph
        self._value = value

    @property
    def dtype(self) -> DType:
        return as_dtype(numeric(self._value).dtype)

    @property
    def shape(self) -> TensorShape:
        return TensorShape(numeric(self._value).shape)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def kind_of(op: GraphOperation) -> str:
    """TensorFlow's name of an operation."""
    if op.name == "call":
        return _EFFECTS.get(getattr(op.attributes["function"], "__name__", ""), TYPES["call"])
    if op.name == "maximum" and _is_zero(op.inputs[1]):
        return "Relu"  # tf.nn.relu is nothing else
    return TYPES.get(op.name, op.name)


def _is_zero(value: Value) -> bool:
    constant = constant_of(value)
    return constant is not None and not np.any(constant.attributes["value"])


class GraphView:
    """The graph of a function or of a `tf.Graph`.

    names: what the program calls values; a name that ends with a slash is a scope alone.
    held: the arrays of parameters that stand for tensors made outside.
    """

    def __init__(
        self, graph: Graph, name: str, names: Mapping[Value, str], held: Mapping[Value, Any] | None = None
    ) -> None:
        self.name = name
        self._program = graph
        self._names, self._held = names, held or {}
        self._operations: list[Operation] = []
        self._tensors: dict[Value, NamedTensor] = {}
        self._unique = NodeNames()
        for param in graph.params:
            self._param(param)
        for op in graph.body.operations:
            self._add(self._name(op), kind_of(op), op, op.outputs)
        self.inputs = [self._tensors[p] for p in graph.params]
        self.outputs = [self.tensor(v) for v in graph.results]

    def _name(self, op: GraphOperation) -> str:
        given = self._names.get(op.outputs[0], "") if op.outputs else ""
        return given + kind_of(op) if given.endswith("/") else given or kind_of(op)

    def _name_of_param(self, value: Value) -> str:
        return self._names.get(value) or ("Const" if value in self._held else value.hint or "Placeholder")

    def _param(self, value: Value) -> None:
        self._add(
            self._name_of_param(value), "Const" if value in self._held else "Placeholder", None, (value,)
        )

    def tensor(self, value: Value) -> NamedTensor:
        """A value by its name; one that comes from outside is a placeholder."""
        if value not in self._tensors:
            self._param(value)
        return self._tensors[value]

    def _add(self, name: str, type: str, op: GraphOperation | None, outputs: tuple[Value, ...]) -> None:
        made = Operation(self, self._unique.unique(name), type, op)
        made.outputs = [NamedTensor(made, k, value) for k, value in enumerate(outputs)]
        self._tensors |= zip(outputs, made.outputs, strict=True)
        self._operations.append(made)

    def as_graph_def(self, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef: nodes with the names and types that `get_operations` shows, and the
        blocks of control flow as functions of the library. Shapes are always there."""
        with needing_tensorboard("as_graph_def"):
            from runtime.board.graph_def import to_graph_def
        naming = Naming(self._name_of_param, self._name, kind_of, name_of)
        return to_graph_def(self._program, naming, returns=False, held=self._held)

    def get_operations(self) -> list[Operation]:
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        for op in self._operations:
            if op.name == name:
                return op
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def __repr__(self) -> str:
        return f"<FuncGraph {self.name}, {len(self._operations)} operations>"
