"""Building a changed copy of a graph: what every pass is made of.

A pass subclasses ``Rebuild`` and says what becomes of an operation; all else is copied. The old graph
stays as it was. A pass that finds nothing to do returns the graph that it was given, and copies nothing.

>>> from runtime.formats.parse import parse
>>> class SubtractInstead(Rebuild):
...     def operation(self, op, block):
...         copy = self.copy(op)
...         copy.name = "py.sub" if op.name == "py.add" else op.name
...         block.append(copy)
>>> graph = parse('''
... graph f(x: int) -> int:
...     y: int = py.add(x, 1)
...     return y
... ''')
>>> print(SubtractInstead().graph(graph), end="")
graph f(x: int) -> int:
    y: int = py.sub(x, 1)
    return y

Writing operations into a block, for rules that are written with `Expr` (ops/expressions.py).

>>> from runtime.graph import Block, Value
>>> from runtime.types import parse_type
>>> x = Value(parse_type("f64[3]"), "x")
>>> scope = BlockScope(Block([x]))
>>> y = scope.of(x) * 2 + 1
>>> [op.name for op in scope.block.operations], str(y.type)
(['constant', 'multiply', 'constant', 'add'], 'f64[3]')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from runtime.graph.core import Graph
from runtime.graph.operations import Block, Location, Operation, Value
from runtime.ops.expressions import Expr
from runtime.types import ArrayType, type_of


class Rebuild:
    """Copies a graph; ``values`` maps old values to those that stand for them in the copy."""

    def __init__(self) -> None:
        self.values: dict[Value, Value] = {}

    def graph(self, graph: Graph) -> Graph:
        return Graph(graph.name, self.block(graph.body), dict(graph.info), graph.functions)

    def block(self, block: Block) -> Block:
        copy = Block([self.param(param) for param in block.params])
        self.fill(copy, block)
        return copy

    def fill(self, copy: Block, block: Block) -> None:
        """Rebuild the operations of ``block`` and its end into ``copy``."""
        copy.ends = "yield"
        for op in block.operations:
            self.operation(op, copy)
            if copy.ends == "never":  # what follows is never reached
                return
        copy.ends = block.ends
        copy.results = self.of(block.results)

    def operation(self, op: Operation, block: Block) -> None:
        """What becomes of one operation: append its successors to ``block``, map its outputs."""
        block.append(self.copy(op))

    def copy(self, op: Operation) -> Operation:
        """A copy with its inputs mapped and its blocks rebuilt."""
        return self.derive(op, self.of(op.inputs), tuple([self.block(block) for block in op.blocks]))

    def derive(self, op: Operation, inputs: tuple[Value, ...], blocks: tuple[Block, ...]) -> Operation:
        """An operation like ``op`` with these inputs and blocks; its outputs stand for those of ``op``."""
        types = tuple([value.type for value in op.outputs])
        derived = Operation(op.name, inputs, types, op.attributes, blocks, op.location)
        self.replace(op.outputs, derived.outputs)
        return derived

    def param(self, param: Value) -> Value:
        copy = Value(param.type, param.hint)
        self.values[param] = copy
        return copy

    def of(self, values: Iterable[Value]) -> tuple[Value, ...]:
        return tuple([self.values[value] for value in values])

    def replace(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        """``new`` values of the copy stand for ``old`` ones; a name is kept."""
        for before, after in zip(old, new, strict=True):
            self.values[before] = after
            after.hint = after.hint or before.hint


def clone(graph: Graph) -> Graph:
    """A copy that shares no block, operation or value with the original."""
    return map_functions(graph, lambda part: Rebuild().graph(part))


def map_functions(graph: Graph, change: Callable[[Graph], Graph]) -> Graph:
    """A graph made by ``change``, and its functions each made by it too."""
    functions: dict[str, Graph] = {}

    def made(part: Graph) -> Graph:
        result = change(part)
        return Graph(result.name, result.body, dict(result.info), functions)

    functions.update({name: made(function) for name, function in graph.functions.items()})
    return made(graph)


def constant_of(value: Value) -> Operation | None:
    """The ``constant`` operation that makes a value, if one does."""
    op = value.owner
    return op if op is not None and op.is_constant else None


def is_undefined(value: Value) -> bool:
    """Is it the payload of an alternative that was not chosen, which nobody reads?"""
    return value.owner is not None and value.owner.is_undef


def is_there(value: Value, params: Sequence[Value]) -> bool:
    """Is it surely an object? One of several alternatives, or what a path hands on, may be none.

    ``params``: those of the function.
    """
    maker = value.owner
    if maker is None:
        return value in params
    return not maker.blocks and len(maker.outputs) == 1 and not maker.is_undef


def make_constant(item: object, like: Value, location_of: Operation) -> Operation:
    """A constant operation with the type and name of ``like``."""
    op = Operation("constant", (), (like.type,), {"value": item}, location=location_of.location)
    op.output.hint = like.hint
    return op


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
