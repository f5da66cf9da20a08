"""A graph as TensorFlow shows one: operations with names, types, inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.gradients.scope import numeric
from runtime.graph import Graph, Value
from runtime.graph import Operation as GraphOperation
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
_EFFECTS = {"_print": "PrintV2", "_check": "Assert"}


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


class GraphView:
    """The graph of a concrete function."""

    def __init__(self, graph: Graph, name: str, names: Mapping[Value, str] | None = None) -> None:
        self.name = name
        self._names = names or {}
        self._operations: list[Operation] = []
        self._tensors: dict[Value, NamedTensor] = {}
        self._used: dict[str, int] = {}
        for param in graph.params:
            self._add(param.hint or "Placeholder", "Placeholder", None, (param,))
        for op in graph.body.operations:
            found = TYPES.get(op.name, op.name)
            if op.name == "call":
                found = _EFFECTS.get(getattr(op.attributes["function"], "__name__", ""), found)
            given = self._names.get(op.outputs[0], "") if op.outputs else ""
            self._add(given + found if given.endswith("/") else given or found, found, op, op.outputs)
        self.inputs = [self._tensors[p] for p in graph.params]
        self.outputs = [self.tensor(v) for v in graph.results]

    def tensor(self, value: Value) -> NamedTensor:
        """A value by its name; one that comes from outside is a placeholder."""
        if value not in self._tensors:
            self._add(value.hint or "Placeholder", "Placeholder", None, (value,))
        return self._tensors[value]

    def _add(self, name: str, type: str, op: GraphOperation | None, outputs: tuple[Value, ...]) -> None:
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        made = Operation(self, f"{name}_{count}" if count else name, type, op)
        made.outputs = [NamedTensor(made, k, value) for k, value in enumerate(outputs)]
        self._tensors |= zip(outputs, made.outputs, strict=True)
        self._operations.append(made)

    def get_operations(self) -> list[Operation]:
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        for op in self._operations:
            if op.name == name:
                return op
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def __repr__(self) -> str:
        return f"<FuncGraph {self.name}, {len(self._operations)} operations>"
