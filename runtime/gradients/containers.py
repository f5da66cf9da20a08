"""Lists, dicts and objects in reverse mode: their companions (ops/companions.py), made and moved
in the forward part.

A number that is put somewhere gets a cell there, a number that is read is that cell's: backwards,
what came for a read number goes to its cell, and what the cell has goes to the number that was
put.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from runtime.gradients.errors import no_derivative
from runtime.gradients.scope import BlockScope, is_smooth
from runtime.graph import Operation, Value
from runtime.ops.buffers import adjoint_of
from runtime.ops.companions import COMPARING, STRUCTURAL
from runtime.ops.containers import arguments
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole, Template
from runtime.types import (
    COMPANION,
    STACK,
    STR,
    ArrayType,
    BufferType,
    ContainerType,
    InstanceType,
    Type,
    numeric,
)

#: operations that read all items: how the adjoint of the result goes to the cells
_READ_ALL = {
    "list.sum": "companion.add",
    "companion.sum": "companion.add",
    "list.to_array": "companion.add_rows",
    "companion.to_array": "companion.add_rows",
}
#: operations that add to all cells: what reads these again
_ADD_TO_ALL = {"companion.add": "companion.sum", "companion.add_rows": "companion.to_array"}
_EXTREMES = frozenset({"list.max", "list.min"})
#: of a derivative that is differentiated again; a companion holds arrays, which have their companions
_OF_COMPANIONS = frozenset({"companion.do", "companion.by_items", "companion.extreme", "companion.like"})
_HANDLED = STRUCTURAL | COMPARING | frozenset({*_READ_ALL, *_ADD_TO_ALL}) | _EXTREMES | _OF_COMPANIONS


def is_handled(op: Operation) -> bool:
    return op.name in _HANDLED


def compares(op: Operation) -> bool:
    """Does it compare items? What is beside them has to be moved before."""
    return op.name in COMPARING


def has_companion(value: Value) -> bool:
    """Is it a list, a dict or an object of which a graph has a reference, or itself a companion?"""
    return isinstance(value.type, ContainerType | InstanceType) or value.type == COMPANION


@dataclass
class Moved:
    """What an operation on containers did: numbers and their cells."""

    put: list[tuple[Value, Value]] = field(default_factory=list)
    read: list[tuple[Value, Value]] = field(default_factory=list)
    #: an operation of the backward part: name, companion, attributes
    all_read: tuple[str, Value, dict[str, object]] | None = None
    #: a number or an array was added to all cells: it, and the operation that reads what came for it
    added: tuple[Value, str, Value, dict[str, object]] | None = None


class Companions:
    """``shadow`` finds the shadow of an array, or the companion of a container; ``note`` keeps one."""

    def __init__(
        self,
        is_active: Callable[[Value], bool],
        shadow: Callable[[BlockScope, Value], Value],
        note: Callable[[Value, Value], None],
    ) -> None:
        self.is_active = is_active
        self.shadow = shadow
        self.note = note
        self.moved: dict[Operation, Moved] = {}

    def beside(self, op: Operation, scope: BlockScope) -> None:
        """Write what the operation does to companions. What is `COMPARING` has to find the items as they
        were: this stands before it, all else behind."""
        moved = self.moved[op] = Moved()
        move = _MOVES.get(op.name)
        if move is not None:
            move(self, op, scope, moved)
            return
        if op.is_array_of_list and len(op.outputs) > 1:
            raise no_derivative(op, "the list may hold numbers of several types; begin with floats")
        companion = self.shadow(scope, op.inputs[0])
        copy = scope.make("companion.do", companion, operation="list.copy", types=(COMPANION,))
        keys = ("function", "arguments") if op.name.endswith(("to_array", "add_rows")) else ()
        attributes = {k: op.attributes[k] for k in keys}
        read = _READ_ALL.get(op.name)
        if read is not None:
            moved.all_read = read, copy, attributes
            return
        if keys:
            attributes["types"] = (op.inputs[1].type,)
        moved.added = op.inputs[1], _ADD_TO_ALL[op.name], copy, attributes

    def _read_extreme(self, op: Operation, scope: BlockScope, moved: Moved) -> None:
        companion = self.shadow(scope, op.inputs[0])
        cell = scope.make("companion.extreme", op.inputs[0], companion, operation=op.name)
        moved.read += [(y, cell) for y in op.outputs if is_smooth(y.type)]

    def _move(self, op: Operation, scope: BlockScope, moved: Moved) -> None:
        keys = _keys(op)
        if any(map(self.is_active, keys)):
            raise no_derivative(op, "a key depends on the argument; make it of ints, or stop its gradient")
        inputs = [x if x in keys else self._input(x, scope, moved) for x in op.inputs]
        outputs = [y for y in op.outputs if is_smooth(y.type) or has_companion(y)]
        types = tuple([companion_type(y.type) for y in outputs])
        kept: dict[str, object] = {k: op.attributes[k] for k in ("template", "reader") if k in op.attributes}
        if op.is_append and getattr(op.inputs[0].type, "name", "") == "deque":
            kept.setdefault("template", Template((Hole(0), Hole(1))))  # the short way is one for lists
        attributes = {"operation": op.name, "types": types, **kept}
        if compares(op):
            made = scope.emit("companion.by_items", (*op.inputs, *inputs), attributes)
        else:
            made = scope.emit("companion.do", inputs, attributes)
        for output, part in zip(outputs, made, strict=True):
            if is_smooth(output.type) and not isinstance(output.type, ArrayType):
                moved.read.append((output, part))
            else:
                self.note(output, part)

    def _move_companions(self, op: Operation, scope: BlockScope, moved: Moved) -> None:
        """The same operation on the companions of companions; the items that it looks at are the same."""
        looked_at = {"companion.do": 0, "companion.by_items": len(op.inputs) // 2}.get(op.name, 1)
        moving = [self._beside(x, scope) for x in op.inputs[looked_at:]]
        made = scope.emit(op.name, (*op.inputs[:looked_at], *moving), op.attributes)
        for output, part in zip(op.outputs, made, strict=True):
            self.note(output, part)

    def _beside(self, value: Value, scope: BlockScope) -> Value:
        is_array = isinstance(value.type, ArrayType) and is_smooth(value.type)
        return self.shadow(scope, value) if is_array or has_companion(value) else value

    def _input(self, value: Value, scope: BlockScope, moved: Moved) -> Value:
        if not is_smooth(value.type) or isinstance(value.type, ArrayType):
            return self._beside(value, scope)
        cell = scope.make("zeros", shape=(), dtype=value.dtype)
        moved.put.append((value, cell))
        return cell


def _keys(op: Operation) -> set[Value]:
    """The numbers that are keys, or stand in one."""
    row, found = METHODS.get(op.name), set()
    given = arguments(op.inputs, op.attributes.get("template")) if row is not None else ()
    rest = [arg for letter, arg in row.by_letter(given) if letter == "k"] if row is not None else []
    while rest:
        arg = rest.pop()
        rest += arg if isinstance(arg, tuple) else ()
        found |= {arg} if isinstance(arg, Value) else set()
    return found


#: how companions are moved
_MOVES: dict[str, Callable[[Companions, Operation, BlockScope, Moved], None]] = {
    **dict.fromkeys((*STRUCTURAL, *COMPARING), Companions._move),
    **dict.fromkeys(_EXTREMES, Companions._read_extreme),
    **dict.fromkeys(_OF_COMPANIONS, Companions._move_companions),
}


def companion_type(type: Type) -> Type:
    """The type of a cell, of shadow memory, of a companion."""
    if isinstance(type, ContainerType | InstanceType) or type == COMPANION:
        return COMPANION
    if isinstance(type, BufferType):
        return adjoint_of(type)
    if isinstance(type, ArrayType) or type in (STACK, STR):
        return type
    return ArrayType(numeric(type).dtype, ())
