"""One operation that is being exported, and what rules are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.export.onnx_nodes import Nodes
from runtime.graph import Operation
from runtime.types import ArrayType, NumericType, join_dtypes

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
        return [value.type for value in self.op.inputs]  # type: ignore[misc]

    @property
    def out(self) -> NumericType:
        """The type of the (first) result."""
        return self.op.outputs[0].type  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.out.dtype

    @property
    def attributes(self) -> dict[str, Any]:
        return self.op.attributes

    def input(self, k: int, dtype: np.dtype[Any] | None = None) -> str:
        """The k-th operand, in the dtype of the result or another."""
        wanted = (dtype or self.dtype).newbyteorder("=")
        maker = self.op.inputs[k].owner
        if maker is not None and maker.is_constant and not isinstance(self.types[k], ArrayType):
            return self.nodes.constant(np.asarray(maker.attributes["value"]).astype(wanted))
        return self.nodes.cast(self.names[k], self.types[k].dtype, wanted)

    def inputs(self, dtype: np.dtype[Any] | None = None) -> list[str]:
        return [self.input(k, dtype) for k in range(len(self.names))]

    def raw(self, k: int) -> str:
        return self.names[k]

    def common(self) -> np.dtype[Any]:
        """The dtype in which NumPy compares the operands."""
        types = self.types
        return join_dtypes(types[0], types[1]) if len(types) > 1 else types[0].dtype

    def number(self, value: Any, dtype: np.dtype[Any] | None = None) -> str:
        return self.nodes.number(value, dtype or self.dtype)

    def ndim(self, k: int = 0) -> int:
        return self.types[k].ndim


Rule = Callable[[Call], "str | list[str]"]


def unary(kind: str) -> Rule:
    return lambda c: c.emit(kind, c.input(0))


def truth(c: Call, k: int) -> str:
    return c.input(k, BOOL)
