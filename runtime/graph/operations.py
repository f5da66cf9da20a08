"""What a graph is made of: operations in program order, values, and nested blocks for control flow.

An ``Operation`` may hold blocks (the branches of an ``if``, the test and body of a ``while``). Blocks are
*open*: they use values of the blocks around them directly, and have parameters only for what a loop carries.

>>> from runtime.types import FLOAT
>>> x = Value(FLOAT, "x")
>>> body = Block([x])
>>> body.append(Operation("add", (x, x), (FLOAT,))).output.type == FLOAT
True
>>> [op.name for op in walk(body)]
['add']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from autograph.records import record
from runtime.ops.control_flow import CALL
from runtime.ops.definition import REGISTRY
from runtime.types import Type


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

    def has(self, trait: str) -> bool:
        """See `OpDef.traits`."""
        return trait in REGISTRY[self.name].traits

    @property
    def is_branch(self) -> bool:
        return self.name == "if"

    @property
    def is_counted(self) -> bool:
        """Is it a loop over a range?"""
        return self.name == "for"

    @property
    def is_while(self) -> bool:
        return self.name == "while"

    @property
    def is_loop(self) -> bool:
        return self.is_while or self.is_counted

    @property
    def is_try(self) -> bool:
        return self.name == "try"

    @property
    def is_landing(self) -> bool:
        """Where what a handler knows changes."""
        return self.name == "landing"

    @property
    def hands_on(self) -> bool:
        return self.is_branch or self.is_loop

    @property
    def handing_on(self) -> tuple[Block, ...]:
        """The blocks whose results are the outputs: each branch, the body of a loop."""
        return self.blocks if self.is_branch else self.blocks[-1:] if self.is_loop else ()

    @property
    def is_control(self) -> bool:
        return self.hands_on or self.is_try

    @property
    def is_undef(self) -> bool:
        """A variable that has no value yet."""
        return self.name == "undef"

    @property
    def is_call(self) -> bool:
        """Of a function of the graph."""
        return self.name == CALL

    @property
    def is_constant(self) -> bool:
        return self.name == "constant"

    @property
    def is_raise(self) -> bool:
        return self.name == "raise"

    @property
    def calls_python(self) -> bool:
        """A function that is not of the graph."""
        return self.name == "call"

    @property
    def is_load(self) -> bool:
        """``x[i]``, ``x[1:]``"""
        return self.name == "getitem"

    @property
    def is_store(self) -> bool:
        """``x[i] = v``"""
        return self.name == "setitem"

    @property
    def is_item(self) -> bool:
        return self.is_load or self.is_store

    @property
    def indices(self) -> tuple[Value, ...]:
        """What the index of a load or store has of a run."""
        return self.inputs[1:] if self.is_load else self.inputs[2:]

    @property
    def is_inplace(self) -> bool:
        """``x += v``"""
        return self.name == "inplace"

    @property
    def makes_container(self) -> bool:
        """A list, tuple, dict or set of items that are written there."""
        return self.name == "list.new"

    @property
    def is_item_of_list(self) -> bool:
        """An item of a list or tuple that is read."""
        return self.name == "list.getitem"

    @property
    def is_length(self) -> bool:
        """Of a container."""
        return self.name == "list.len"

    @property
    def is_append(self) -> bool:
        return self.name == "list.append"

    @property
    def is_array_of_list(self) -> bool:
        """``np.array(xs)`` and the like of a list."""
        return self.name == "list.to_array"

    @property
    def is_repeat(self) -> bool:
        """``xs * n``"""
        return self.name == "list.repeat"

    @property
    def is_unpacking(self) -> bool:
        """A check of how many items a container has."""
        return self.name == "list.unpack"

    @property
    def makes_object(self) -> bool:
        """An instance of a class of the user's, of attributes that are known."""
        return self.name == "object.make"

    @property
    def is_attribute_load(self) -> bool:
        return self.name == "object.getattr"

    @property
    def is_attribute_store(self) -> bool:
        return self.name == "object.setattr"

    @property
    def stores_outside(self) -> bool:
        """An attribute or a variable of the program's world."""
        return self.name in ("store_attr", "store_item")

    @property
    def compares_identity(self) -> bool:
        return self.name == "is"

    @property
    def is_attribute_deletion(self) -> bool:
        return self.name == "object.delattr"

    @property
    def is_attribute(self) -> bool:
        """An attribute that is read or stored."""
        return self.is_attribute_load or self.is_attribute_store

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


def walk(block: Block) -> Iterator[Operation]:
    for operation in block.operations:
        yield operation
        for nested in operation.blocks:
            yield from walk(nested)


def loop_state(op: Operation) -> tuple[Value, ...]:
    """The initial values of what a ``while`` or ``for`` carries; empty for other operations."""
    if op.is_while:
        return op.inputs
    return op.inputs[3:] if op.is_counted else ()
