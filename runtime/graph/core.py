"""The graph: operations in program order, with nested blocks for control flow.

A ``Graph`` has one ``Block``; an ``Operation`` may hold further blocks (the branches of an ``if``, the
test and body of a ``while``). Blocks are *open*: they use values of the blocks around them directly,
and have parameters only for what a loop carries.

>>> from runtime.types import FLOAT
>>> graph = Graph("double", Block([Value(FLOAT, "x")]))
>>> x, = graph.params
>>> y = graph.body.append(Operation("add", (x, x), (FLOAT,))).outputs[0]
>>> graph.body.results = (y,)
>>> [op.name for op in graph.operations()]
['add']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from autograph.records import record
from runtime.optional_packages import needing_tensorboard
from runtime.short_texts import OF_A_SIGNATURE, shortened
from runtime.types import Type

if TYPE_CHECKING:
    from tensorboard.compat.proto.graph_pb2 import GraphDef


@record
class Location:
    """The user's place that an operation came from.

    ``span`` is where in the line the expression begins, and where it ends: (column, end line, end column),
    as ``code.co_positions`` counts them; ``caller`` is the place of the call that led here, where that is not
    the traced function itself. Both are for tracebacks, and not in the text form.
    """

    file: str
    line: int
    function: str = "<module>"
    column: int = 0
    span: tuple[int, int, int] | None = field(default=None, compare=False, repr=False)
    caller: Location | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Value:
    """One result of an operation, or a parameter of a block. Compared by identity."""

    __slots__ = ("hint", "owner", "type")

    def __init__(self, type: Type, hint: str = "", owner: Operation | None = None) -> None:
        self.type = type
        self.hint = hint  # the user's name for it, where there is one
        self.owner = owner  # the operation that makes it; None for a parameter

    def __repr__(self) -> str:
        return f"<Value {self.hint or '_'}: {self.type}>"


class Operation:
    """One operation. ``name`` is the key of its ``OpDef`` in ``runtime.ops``.

    ``attributes`` are static Python values (axis, a constant, a format); ``blocks`` the nested blocks.
    ``effects`` is what `effects.effects_of` found, and for which definition, inputs and attributes.
    """

    __slots__ = ("attributes", "blocks", "effects", "inputs", "location", "name", "outputs")

    def __init__(
        self,
        name: str,
        inputs: tuple[Value, ...] = (),
        output_types: tuple[Type, ...] = (),
        attributes: dict[str, Any] | None = None,
        blocks: tuple[Block, ...] = (),
        location: Location | None = None,
    ) -> None:
        self.name = name
        self.inputs = tuple(inputs)
        self.attributes = attributes or {}
        self.blocks = tuple(blocks)
        self.location = location
        self.outputs = tuple([Value(type, "", self) for type in output_types])
        self.effects: tuple[Any, ...] | None = None

    @property
    def output(self) -> Value:
        (only,) = self.outputs
        return only

    def __repr__(self) -> str:
        return f"<Operation {self.name} at {self.location}>"


@record(frozen=False, eq=False)
class Block:
    """Operations in program order. ``ends`` is "yield" (its ``results`` flow out) or "never" (it raises)."""

    params: list[Value] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    results: tuple[Value, ...] = ()
    ends: str = "yield"

    def append(self, operation: Operation) -> Operation:
        self.operations.append(operation)
        return operation


@record(frozen=False, eq=False)
class Graph:
    """A traced function. ``params`` are its flat inputs, ``results`` its flat outputs.

    ``info`` is for people and tools: the trace's decisions, the signature it was made for.
    ``functions`` are the graphs that its ``call_function`` operations call by name: recursion. They
    share this one table. ``found`` is what passes found out about the graph as it stands (see
    ``effects.memory_of``); a pass that changes something makes a new graph.
    """

    name: str
    body: Block
    info: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Graph] = field(default_factory=dict)
    found: dict[str, Any] = field(default_factory=dict)

    @property
    def params(self) -> list[Value]:
        return self.body.params

    @property
    def results(self) -> tuple[Value, ...]:
        return self.body.results

    def operations(self) -> Iterator[Operation]:
        """Every operation, nested ones after the one that holds them; not those of its functions."""
        return walk(self.body)

    def whole(self) -> Iterator[Graph]:
        """The graph itself and all functions that it may call."""
        yield self
        yield from (function for function in self.functions.values() if function is not self)

    def __repr__(self) -> str:
        takes = shortened(", ".join(f"{value.hint}: {value.type}" for value in self.params), OF_A_SIGNATURE)
        gives = shortened(", ".join(str(value.type) for value in self.results), OF_A_SIGNATURE)
        size = sum(1 for _ in self.operations())
        return f"<graph {self.name}({takes}) -> {gives or '()'}, {size} operations>"

    def __str__(self) -> str:
        from runtime.formats.text import to_text

        return to_text(self)

    def as_graph_def(self) -> GraphDef:
        """The graph as a GraphDef, a protocol buffer. It needs the extra `tensorboard`."""
        with needing_tensorboard("as_graph_def"):  # by name: what makes it stands above the graph
            made = import_module("runtime.board.graph_def")
        return made.to_graph_def(self)

    def _repr_html_(self) -> str:
        from runtime.formats.html import to_fragment

        return to_fragment(self)


def walk(block: Block) -> Iterator[Operation]:
    for operation in block.operations:
        yield operation
        for nested in operation.blocks:
            yield from walk(nested)
