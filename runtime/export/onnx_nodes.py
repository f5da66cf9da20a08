"""Building ONNX nodes: names, constants, casts, nested graphs; what rules are made of; refusals.

>>> nodes = Nodes()
>>> one = nodes.constant(np.float32(1))
>>> nodes.emit("Add", one, one)
'Add.1'
>>> [node.op_type for node in nodes.scope]
['Add']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

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
