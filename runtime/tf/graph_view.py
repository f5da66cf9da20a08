"""A graph as TensorFlow shows one: operations with names, types, inputs and outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from autograph.optional_packages import needing
from runtime.formats.pictures import Naming
from runtime.gradients.marks import MARKS
from runtime.graph import Block, Graph, Value
from runtime.graph import Operation as GraphOperation
from runtime.tf.dtypes import DType, TensorShape, as_dtype
from runtime.tf.names import name_of
from runtime.tf.node_kinds import as_while, source_of, type_of_operation, usual_name


class Names:
    """The names that are taken in a graph: of two that are equal, the second gets a number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = dict.fromkeys(taken, 1)

    def new(self, name: str) -> str:
        while name in self._taken:
            base, count = name, self._taken[name]
            self._taken[base] = count + 1
            name = f"{base}_{count}"
        self._taken[name] = 1
        return name


class Operation:
    """`tf.Operation`."""

    def __init__(
        self, graph: GraphView, name: str, type: str, operation: GraphOperation | None, device: str = ""
    ) -> None:
        self.graph = graph.owner or graph
        self.name = name
        self.type = type
        self.device = device
        self._view = graph
        self._operation = operation
        self.outputs: list[NamedTensor] = []

    @property
    def inputs(self) -> tuple[NamedTensor, ...]:
        if self._operation is None:
            return ()
        known = self._view._tensors
        return tuple([known[source_of(v)] for v in self._operation.inputs if source_of(v) in known])

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class NamedTensor:
    """A tensor of a finished graph."""

    def __init__(self, op: Operation, index: int, value: Value) -> None:
        self.op = op
        self.name = f"{op.name}:{index}"
        self.graph = op.graph
        self.device = op.device
        self._value = value

    @property
    def dtype(self) -> DType:
        return as_dtype(self._value.dtype)

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._value.shape)

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


class GraphView:
    """The graph of a concrete function, or of a `tf.Graph`, which is the ``owner`` then.

    names: what the trace called values. constants: the parameters that are arrays of the program itself.
    devices: where the program wants an operation to be. results: how many results are the function's.
    held: the arrays of parameters that stand for tensors made outside.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        names: Mapping[Value, str] | None = None,
        constants: Collection[Value] = (),
        devices: Mapping[GraphOperation, str] | None = None,
        owner: Any = None,
        results: int = 0,
        held: Mapping[Value, Any] | None = None,
    ) -> None:
        self.name = name
        self._program, self._held = graph, held or {}
        self.owner = owner
        self._given = names or {}
        self._devices = devices or {}
        self._names = Names(self._given.values())
        self._operations: list[Operation] = []
        self._identities: list[GraphOperation] = []  # the results
        self._tensors: dict[Value, NamedTensor] = {}
        for param in graph.params:
            kind = "Const" if param in constants else "Placeholder"
            self._add(param.hint or kind, kind, None, (param,))
        for op in graph.body.operations:
            if op.name not in MARKS and (not op.outputs or source_of(op.outputs[0]) is op.outputs[0]):
                self._add(usual_name(op), type_of_operation(op), op, op.outputs)
        self.inputs = [self._tensors[p] for p in graph.params if p not in constants]
        self.outputs = [self._result(value) for value in graph.results[:results]]

    def _result(self, value: Value) -> NamedTensor:
        """A result is an `Identity`, as it is in the graphs of TensorFlow's functions."""
        op = GraphOperation("identity", (value,), (value.type,))
        self._identities.append(op)
        self.tensor(value)
        self._add("Identity", "Identity", op, op.outputs)
        return self.tensor(op.output)

    def tensor(self, value: Value) -> NamedTensor:
        """A value by its name; one that comes from outside is a placeholder."""
        value = source_of(value)
        if value not in self._tensors:
            self._add(value.hint or "Placeholder", "Placeholder", None, (value,))
        return self._tensors[value]

    def _add(self, name: str, type: str, op: GraphOperation | None, outputs: tuple[Value, ...]) -> None:
        given = self._given.get(outputs[0]) if outputs else None
        device = "" if op is None else self._devices.get(op, "")
        made = Operation(self, given or self._names.new(name), type, op, device)
        made.outputs = [NamedTensor(made, k, value) for k, value in enumerate(outputs)]
        self._tensors |= zip(outputs, made.outputs, strict=True)
        self._operations.append(made)

    def as_graph_def(self, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef: nodes with the names and types that `get_operations` shows, and the
        blocks of control flow as functions of the library. Shapes are always there."""
        with needing("tensorboard", "as_graph_def"):
            from runtime.formats.graph_def import to_graph_def
        naming = Naming(
            lambda value: self._given.get(value) or value.hint or "Placeholder",
            self._node_name,
            type_of_operation,
            name_of,
            as_while,
        )
        body = self._program.body
        body = Block(body.params, [*body.operations, *self._identities])
        shown = Graph(self.name, body, functions=self._program.functions)
        return to_graph_def(shown, naming, returns=False, held=self._held)

    def _node_name(self, op: GraphOperation) -> str:
        """Its name, also of one in a block, or of one that `get_operations` does not show."""
        if not op.outputs:
            return usual_name(op)
        source = source_of(op.outputs[0])
        given = self._given.get(source) or (usual_name(source.owner) if source.owner else source.hint)
        return given if source is op.outputs[0] else f"{given}_scalar"

    def get_operations(self) -> list[Operation]:
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        for op in self._operations:
            if op.name == name:
                return op
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def __repr__(self) -> str:
        return f"<FuncGraph {self.name}, {len(self._operations)} operations>"
