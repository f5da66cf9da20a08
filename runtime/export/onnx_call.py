"""One operation that is being exported, and what rules are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runtime.export.onnx_errors import NotExportable
from runtime.export.onnx_nodes import Nodes, element_type
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
        if maker is not None and maker.name == "constant" and not isinstance(self.types[k], ArrayType):
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


def whole(kind: str) -> Rule:
    """``floor`` and the like: ints are whole already."""
    return lambda c: c.emit(kind if c.dtype.kind == "f" else "Identity", c.input(0))


def binary(kind: str, of_bools: str | None = None) -> Rule:
    def rule(c: Call) -> str:
        if c.dtype == BOOL:
            if of_bools is None:
                raise NotExportable(f"{c.op.name} of bools has no form")
            return c.emit(of_bools, *c.inputs())
        return c.emit(kind, *c.inputs())

    return rule


def composed(make: Callable[..., str]) -> Rule:
    """A formula over the operands in the dtype of the result: ``lambda c, x: ...``."""
    return lambda c: make(c, *c.inputs())


def compare(kind: str, negated: bool = False) -> Rule:
    def rule(c: Call) -> str:
        found = c.emit(kind, *comparable(c))
        return c.emit("Not", found) if negated else found

    return rule


def comparable(c: Call) -> list[str]:
    common = c.common()
    if common == BOOL and c.op.name not in ("equal", "not_equal", "py.eq", "py.ne"):
        common = np.dtype("int32")  # bools have no order in ONNX
    return c.inputs(common)


def truth(c: Call, k: int) -> str:
    return c.input(k, BOOL)


def logical(kind: str) -> Rule:
    return lambda c: c.emit(kind, *[truth(c, k) for k in range(len(c.names))])


def bits(kind: str, of_bools: str) -> Rule:
    return lambda c: c.emit(of_bools if c.dtype == BOOL else kind, *c.inputs())


def of_float(make: Callable[[Call, str], str]) -> Rule:
    """A test of a number, whose result is a bool: ``isnan``."""

    def rule(c: Call) -> str:
        dtype = c.types[0].dtype
        return make(c, c.input(0, dtype if dtype.kind == "f" else FLOAT64))

    return rule


def to_int(kind: str | None) -> Rule:
    """``math.floor`` and the like, whose results are ints."""
    return lambda c: c.emit(
        "Cast", c.emit(kind, c.input(0, FLOAT64)) if kind else c.raw(0), to=element_type(INT64)
    )
