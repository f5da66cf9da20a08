"""Writing operations into a block, for rules that are written with `Expr` (ops/expressions.py).

>>> from runtime.graph import Block, Value
>>> from runtime.types import parse_type
>>> x = Value(parse_type("f64[3]"), "x")
>>> scope = BlockScope(Block([x]))
>>> y = scope.of(x) * 2 + 1
>>> [op.name for op in scope.block.operations], str(y.type)
(['constant', 'multiply', 'constant', 'add'], 'f64[3]')
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.graph.operations import Block, Location, Operation, Value
from runtime.ops.expressions import Expr
from runtime.types import ArrayType, type_of


class BlockScope:
    """Appends operations to ``block``; ``location`` is the user's place that they come from."""

    def __init__(self, block: Block, location: Location | None = None) -> None:
        self.block = block
        self.location = location

    def of(self, value: Value) -> Expr:
        return Expr(value, self)

    def constant(self, item: Any) -> Value:
        op = Operation("constant", (), (type_of(item),), {"value": item}, location=self.location)
        return self.block.append(op).output

    def emit(self, name: str, inputs: Sequence[Any], attributes: dict[str, Any]) -> tuple[Value, ...]:
        simple = _SHAPED.get(name)
        if simple is not None:
            found = simple(self, *inputs, **attributes)
            if found is not None:
                return (found,)
        return self.block.append(Operation.typed(name, inputs, attributes, self.location)).outputs

    def make(self, operation: str, /, *inputs: Value, **attributes: Any) -> Value:
        """The one output of an operation."""
        (only,) = self.emit(operation, inputs, attributes)
        return only

    def do(self, operation: str, /, *inputs: Value, **attributes: Any) -> None:
        """An operation without outputs."""
        self.emit(operation, inputs, attributes)


# -- where the shapes are known ------------------------------------------------------------------------


def _is_known(*values: Value) -> bool:
    return all(None not in v.shape for v in values)


def _sum_like(scope: BlockScope, x: Value, like: Value) -> Value | None:
    """A shape that is known needs no prototype: the value itself need not be kept."""
    shape, wanted = x.shape, like.shape
    if not _is_known(x, like):
        return x if x is like else None
    lead = len(shape) - len(wanted)
    if lead < 0:
        return x  # it is spread afterwards
    axes = tuple([k for k in range(len(shape)) if k < lead or (wanted[k - lead] == 1 != shape[k])])
    if not axes:
        return x
    if axes == tuple(range(lead)):
        if all(n == 1 for n in shape[:lead]):
            return scope.make("getitem", x, index=(0,) * lead)
        return scope.make("sum", x, axis=axes)
    summed = scope.make("sum", x, axis=axes, keepdims=True)
    return scope.make("reshape", summed, shape=tuple(summed.shape[lead:])) if lead else summed


def _broadcast_like(scope: BlockScope, x: Value, like: Value) -> Value | None:
    if not _is_known(x, like):
        return None
    if x.shape == like.shape:
        return x
    return scope.make("broadcast_to", x, shape=like.shape)


def _reshape_like(scope: BlockScope, x: Value, like: Value, order: str = "C") -> Value | None:
    if not _is_known(like):
        return None
    if x.shape == like.shape and isinstance(x.type, ArrayType) == isinstance(like.type, ArrayType):
        return x
    if isinstance(like.type, ArrayType):
        return scope.make("reshape", x, shape=like.shape, order=order)
    return scope.make("sum", x) if isinstance(x.type, ArrayType) else x


def _like(scope: BlockScope, x: Value, name: str, dtype: Any, order: str) -> Value | None:
    if name != "zeros_like" or not _is_known(x):
        return None
    return scope.make("zeros", shape=x.shape, dtype=np.dtype(dtype), order="C")


_SHAPED: dict[str, Any] = {
    "sum_like": _sum_like,
    "broadcast_like": _broadcast_like,
    "reshape_like": _reshape_like,
    "like": _like,
}
