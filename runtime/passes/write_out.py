"""In loops, what NumPy computes by several operations becomes these, of which machine code is made.

A call of NumPy costs 0.5 to 50 us, whatever the length of its arrays. Once a call that counts for
nothing; in a loop it is what takes the time. Operations that are written with others
(`ops/written.py`) are, there:

>>> from runtime.formats.parse import parse
>>> print(write_out_in_loops(parse('''
... graph f(x: f64[8], n: int) -> f64:
...     start: f64 = sum(x)
...     far: f64 = for i: int in range(0, n, 1) with far: f64 = start:
...         y: f64 = ptp(x)
...         yield y
...     return far
... '''), lambda op: op.name == "ptp"), end="")
graph f(x: f64[8], n: int) -> f64:
    start: f64 = sum(x)
    far: f64 = for i: int in range(0, n, 1) with far: f64 = start:
        _1: f64 = max(x)
        _2: f64 = min(x)
        y: f64 = subtract(_1, _2)
        yield y
    return far
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.rewrite import BlockScope, Rebuild, map_functions
from runtime.ops.definition import NoDerivative
from runtime.ops.written import WRITTEN
from runtime.types import ArrayType

#: gives whether NumPy runs an operation
IsCalled = Callable[[Operation], bool]
#: those where NumPy has less to do: it looks at few items
_LONGER = frozenset({"searchsorted", "trace"})
#: and those that have a meaning, or an error, of their own where there is no item
_OF_SOMETHING = frozenset({"interp", "linalg.norm", "median", "take"})


def write_out_in_loops(graph: Graph, is_called: IsCalled) -> Graph:
    """The graph with operations in loops written out that NumPy would run, where it runs at most one then."""

    def changed(part: Graph) -> Graph:
        return _WriteOut(is_called).graph(part) if any(map(_may_be, part.operations())) else part

    return map_functions(graph, changed)


class _WriteOut(Rebuild):
    def __init__(self, is_called: IsCalled) -> None:
        super().__init__()
        self.is_called = is_called
        self.loops = 0

    def operation(self, op: Operation, block: Block) -> None:
        self.loops += op.is_loop
        copy = self.copy(op)
        self.loops -= op.is_loop
        made = self._written(copy) if self.loops and _may_be(op) and self.is_called(copy) else None
        if made is None:
            block.append(copy)
            return
        operations, results = made
        block.operations += operations
        self.replace(op.outputs, results)

    def _written(self, op: Operation) -> tuple[list[Operation], list[Value]] | None:
        """The operations, and what they give in the place of the results; None where it is to stay."""
        scope = BlockScope(Block([]), op.location)
        attributes = {k: v for k, v in op.attributes.items() if v is not None or k != "dtype"}
        try:
            found = WRITTEN[op.name](*map(scope.of, op.inputs), **attributes)
        except TypeError:  # NumPy has another loop for these dtypes
            return None
        if isinstance(found, NoDerivative):
            return None
        given = [one.value for one in (found if isinstance(found, tuple) else (found,))]
        results = [_like(scope, value, old) for value, old in zip(given, op.outputs, strict=True)]
        known = [value for value in results if value is not None]
        called = sum(map(self.is_called, scope.block.operations))
        if len(known) < len(results) or called > 1 or not set(known).isdisjoint(op.inputs):
            return None
        return scope.block.operations, known


def _may_be(op: Operation) -> bool:
    if op.name not in WRITTEN or op.name in _LONGER:
        return False
    lengths = [n for value in op.inputs if isinstance(value.type, ArrayType) for n in value.type.shape]
    return 0 not in lengths and (op.name not in _OF_SOMETHING or None not in lengths)


def _like(scope: BlockScope, value: Value, old: Value) -> Value | None:
    """The value in the dtype of another; None where it is no array, and that is one, or the other way."""
    if isinstance(value.type, ArrayType) != isinstance(old.type, ArrayType):
        return None
    if value.dtype != old.dtype:
        value = scope.make("astype", value, dtype=old.dtype)
    return value if value.type == old.type else None
