"""Lists, dicts and objects in reverse mode: their companions (ops/companions.py), made and moved
in the forward part.

A number that is put somewhere gets a cell there, a number that is read is that cell's: backwards,
what came for a read number goes to its cell, and what the cell has goes to the number that was
put.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from runtime.gradients.errors import no_derivative
from runtime.gradients.scope import BlockScope, is_smooth
from runtime.graph import Operation, Value
from runtime.ops.buffers import adjoint_of
from runtime.ops.companions import COMPARING, STRUCTURAL
from runtime.ops.template import Hole, Template
from runtime.types import COMPANION, STACK, STR, ArrayType, BufferType, ContainerType, InstanceType, Type

_WITH_COMPANION = (ContainerType, InstanceType)
#: operations that read all items: how the adjoint of the result goes to the cells
_READ_ALL = {"list.sum": "companion.add", "list.to_array": "companion.add_rows"}
_EXTREMES = frozenset({"list.max", "list.min"})
HANDLED = STRUCTURAL | COMPARING | frozenset(_READ_ALL) | _EXTREMES


def has_companion(value: Value) -> bool:
    """Is it a list, a dict or an object of which a graph has a reference?"""
    return isinstance(value.type, _WITH_COMPANION)


@dataclass
class Moved:
    """What an operation on containers did: numbers and their cells."""

    put: list[tuple[Value, Value]] = field(default_factory=list)
    read: list[tuple[Value, Value]] = field(default_factory=list)
    #: an operation of the backward part: name, companion, attributes
    all_read: tuple[str, Value, dict[str, object]] | None = None


class Companions:
    """``shadow`` finds the shadow of an array, or the companion of a container; ``note`` keeps one."""

    def __init__(
        self, shadow: Callable[[BlockScope, Value], Value], note: Callable[[Value, Value], None]
    ) -> None:
        self.shadow = shadow
        self.note = note
        self.moved: dict[Operation, Moved] = {}

    def beside(self, op: Operation, scope: BlockScope) -> None:
        """Write what the operation does to companions. What is `COMPARING` has to find the items as they
        were: this stands before it, all else behind."""
        moved = self.moved[op] = Moved()
        if op.name in STRUCTURAL or op.name in COMPARING:
            self._move(op, scope, moved)
            return
        if op.name == "list.to_array" and len(op.outputs) > 1:
            raise no_derivative(op, "the list may hold numbers of several types; begin with floats")
        companion = self.shadow(scope, op.inputs[0])
        if op.name in _EXTREMES:
            cell = scope.make("companion.extreme", op.inputs[0], companion, operation=op.name)
            moved.read += [(y, cell) for y in op.outputs if is_smooth(y.type)]
            return
        copy = scope.make("companion.do", companion, operation="list.copy", types=(COMPANION,))
        keys = ("function", "arguments")
        moved.all_read = (
            _READ_ALL[op.name],
            copy,
            {k: op.attributes[k] for k in keys if k in op.attributes} if op.name == "list.to_array" else {},
        )

    def _move(self, op: Operation, scope: BlockScope, moved: Moved) -> None:
        inputs = [self._input(x, scope, moved) for x in op.inputs]
        outputs = [y for y in op.outputs if is_smooth(y.type) or has_companion(y)]
        types = tuple([companion_type(y.type) for y in outputs])
        kept: dict[str, object] = {k: op.attributes[k] for k in ("template", "reader") if k in op.attributes}
        if op.name == "list.append" and getattr(op.inputs[0].type, "name", "") == "deque":
            kept.setdefault("template", Template((Hole(0), Hole(1))))  # the short way is one for lists
        attributes = {"operation": op.name, "types": types, **kept}
        if op.name in COMPARING:
            made = scope.emit("companion.by_items", (*op.inputs, *inputs), attributes)
        else:
            made = scope.emit("companion.do", inputs, attributes)
        for output, part in zip(outputs, made, strict=True):
            if is_smooth(output.type) and not isinstance(output.type, ArrayType):
                moved.read.append((output, part))
            else:
                self.note(output, part)

    def _input(self, value: Value, scope: BlockScope, moved: Moved) -> Value:
        if has_companion(value) or (isinstance(value.type, ArrayType) and is_smooth(value.type)):
            return self.shadow(scope, value)
        if not is_smooth(value.type):
            return value
        cell = scope.make("zeros", shape=(), dtype=value.type.dtype)  # type: ignore[union-attr]
        moved.put.append((value, cell))
        return cell


def companion_type(type: Type) -> Type:
    """The type of a cell, of shadow memory, of a companion."""
    if isinstance(type, ContainerType | InstanceType):
        return COMPANION
    if isinstance(type, BufferType):
        return adjoint_of(type)
    if isinstance(type, ArrayType) or type in (STACK, STR):
        return type
    return ArrayType(np.dtype(type.dtype), ())  # type: ignore[union-attr]
