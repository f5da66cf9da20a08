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

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, TypeVar

import numpy as np

from autograph.records import record
from runtime.ops.control_flow import CALL
from runtime.ops.definition import REGISTRY
from runtime.types import NumericType, Shape, Type, numeric

T = TypeVar("T", bound=Type)


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

    @property
    def numeric(self) -> NumericType:
        """Its type, where it is a number or an array. Raises TypeError for a reference."""
        return numeric(self.type)

    def expect(self, kind: type[T]) -> T:
        """Its type, where it is of this kind. Raises TypeError for any other."""
        if not isinstance(self.type, kind):
            raise TypeError(f"{self!r} is no {kind.__name__}")
        return self.type

    @property
    def dtype(self) -> np.dtype[Any]:
        return numeric(self.type).dtype

    @property
    def shape(self) -> Shape:
        return numeric(self.type).shape

    @property
    def ndim(self) -> int:
        return numeric(self.type).ndim

    def __repr__(self) -> str:
        return f"<Value {self.hint or '_'}: {self.type}>"


class _named:
    """Is it an operation of one of these names?"""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __get__(self, op: Operation, owner: type) -> bool:
        return op.name in self.names


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

    @classmethod
    def typed(
        cls,
        name: str,
        inputs: Sequence[Value],
        attributes: dict[str, Any],
        location: Location | None = None,
    ) -> Operation:
        """One whose outputs have the types that its rule gives."""
        types = REGISTRY[name].output_types([value.type for value in inputs], attributes)
        return cls(name, tuple(inputs), types, attributes, location=location)

    def has(self, trait: str) -> bool:
        """See `OpDef.traits`."""
        return trait in REGISTRY[self.name].traits

    is_branch = _named("if")
    is_counted = _named("for")  # a loop over a range
    is_while = _named("while")
    is_loop = _named("while", "for")
    is_try = _named("try")
    hands_on = _named("if", "while", "for")
    is_control = _named("if", "while", "for", "try")
    is_landing = _named("landing")  # where what a handler knows changes
    is_raise = _named("raise")
    is_format = _named("format")  # an f-string
    is_undef = _named("undef")  # a variable that has no value yet
    is_constant = _named("constant")
    is_call = _named(CALL)  # of a function of the graph
    calls_python = _named("call")  # of any other function

    is_length_of_axis = _named("dim")
    is_imaginary_part = _named("imag")
    is_int_again = _named("py.int", "py.index", "cast")
    draws = _named("random.draw")
    is_load = _named("getitem")  # x[i], x[1:]
    is_store = _named("setitem")  # x[i] = v
    is_item = _named("getitem", "setitem")
    is_inplace = _named("inplace")  # x += v
    stores_outside = _named("store_attr", "store_item")  # an attribute or variable of the program's world

    makes_object = _named("object.make")
    is_attribute_load = _named("object.getattr")
    is_attribute_store = _named("object.setattr")
    is_attribute = _named("object.getattr", "object.setattr")
    is_attribute_deletion = _named("object.delattr")
    compares_identity = _named("is")
    makes_container = _named("list.new")  # a list, tuple, dict or set of what is written there
    is_item_of_list = _named("list.getitem")
    is_length = _named("list.len")
    is_append = _named("list.append")
    is_repeat = _named("list.repeat")  # xs * n
    is_unpacking = _named("list.unpack")  # a check of how many items there are
    makes_pairs = _named("dict.items")
    is_array_of_list = _named("list.to_array")

    is_derivative = _named("gradient", "tangent")
    is_custom_gradient = _named("custom_gradient")
    is_mark = _named("watch", "record")  # what a tape sees
    leaves_tape = _named("leave")

    @property
    def handing_on(self) -> tuple[Block, ...]:
        """The blocks whose results are the outputs: each branch, the body of a loop."""
        return self.blocks if self.is_branch else self.blocks[-1:] if self.is_loop else ()

    @property
    def indices(self) -> tuple[Value, ...]:
        """What the index of a load or store has of a run."""
        return self.inputs[1:] if self.is_load else self.inputs[2:]

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
