"""Building ONNX nodes: names, constants, casts, nested graphs.

>>> nodes = Nodes()
>>> one = nodes.constant(np.float32(1))
>>> nodes.emit("Add", one, one)
'Add.1'
>>> [node.op_type for node in nodes.scope]
['Add']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from runtime.graph import Operation
from runtime.types import Type


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

    def number(self, value: Any, dtype: np.dtype[Any]) -> str:
        """A number of this dtype."""
        return self.constant(np.array(value, dtype))

    # -- small compositions ------------------------------------------------------------------------------

    def cast(self, name: str, found: np.dtype[Any], wanted: np.dtype[Any]) -> str:
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


def element_type(dtype: np.dtype[Any]) -> int:
    """ONNX's number for a dtype."""
    return helper.np_dtype_to_tensor_dtype(dtype.newbyteorder("="))


def value_info(name: str, kind: Type, open_rank: bool = False) -> ValueInfoProto:
    """The declaration of an input or output; lengths that are not known have a name each."""
    dtype, shape = kind.dtype, kind.shape  # type: ignore[union-attr]
    lengths = None if open_rank else [f"{name}_{k}" if n is None else n for k, n in enumerate(shape)]
    return helper.make_tensor_value_info(name, element_type(dtype), lengths)


def nested(nodes: Sequence[NodeProto], name: str, inputs: Sequence[ValueInfoProto],
           outputs: Sequence[ValueInfoProto]) -> GraphProto:  # fmt: skip
    return helper.make_graph(list(nodes), name, list(inputs), list(outputs))
