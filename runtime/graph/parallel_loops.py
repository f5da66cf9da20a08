"""May the iterations of a ``for`` run in any order, several at a time? Asked of loops over ``rt.prange``.

They may where each writes places of its own (``x[i]``, ``x[i, ...]``, ``x[i + 1]``, rows of these), nothing
else touches what is written, and what one hands to the next is a sum or a product.

>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph f(x: f64[9]) -> ():
...     for i: int in range(1, 9, 1):
...         before: int = py.sub(i, 1)
...         y: f64 = x[before]
...         x[i] = y
...     return
... ''')
>>> (loop,) = [op for op in graph.operations() if op.is_counted]
>>> plan_of(loop).message
'one iteration of this `prange` touches items of `x` that another one writes'
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from autograph.records import record
from runtime.graph.core import Graph
from runtime.graph.effects import effects_of
from runtime.graph.item_places import sum_of
from runtime.graph.names import plain_hint
from runtime.graph.operations import Block, Location, Operation, Value, loop_state, walk
from runtime.ops.definition import Dynamic
from runtime.ops.indexing import expand_index
from runtime.types import ArrayType, NumberType, ObjectType, ScalarType

#: what may combine the numbers of all iterations: which operands may hold the number so far, and its kind
_COMBINING = {
    "py.add": ((0, 1), "sum"), "add": ((0, 1), "sum"), "py.sub": ((0,), "sum"), "subtract": ((0,), "sum"),
    "py.mul": ((0, 1), "product"), "multiply": ((0, 1), "product"),
}  # fmt: skip
_IN_ORDER = "write `range`, whose iterations run one after another"


class Refused(NamedTuple):
    """Why not, where, and the way out."""

    message: str
    location: Location | None
    hint: str


class Place(NamedTuple):
    """The axis of an array along which an iteration has one place, and how far that is from the counter."""

    axis: int
    offset: int


@record
class Plan:
    """``kinds`` of what the loop carries: "same", "last" (of the last iteration), "flag" (set to a constant),
    "sum" or "product". ``written``: the arrays that are written, and where; ``touched``: all of which items
    are used."""

    kinds: tuple[str, ...]
    written: dict[Value, Place]
    touched: tuple[Value, ...]


def loops_of(graph: Graph) -> Iterator[Operation]:
    """The loops that are said to be parallel, those of functions, too."""
    for part in graph.whole():
        yield from (op for op in walk(part.body) if op.attributes.get("parallel"))


def plan_of(loop: Operation) -> Plan | Refused:
    """How the iterations may run side by side, or why they may not."""
    if len(loop.blocks) != 1:
        return Refused("a `break` or `return` ends this `prange` early", loop.location, _IN_ORDER)
    body = loop.blocks[0]
    kinds = []
    for k in range(len(loop_state(loop))):
        kind = _kind_of(loop, k)
        if kind is None:
            return _depends(loop, plain_hint(loop.outputs[k].hint))
        kinds.append(kind)
    found = _touches(loop, body)
    if isinstance(found, Refused):
        return found
    return Plan(tuple(kinds), *found)


def _depends(loop: Operation, name: str | None) -> Refused:
    told = f"`{name}`" if name else "a value"
    message = f"{told} of one iteration of this `prange` is used by the next one"
    adding = f"only add numbers of one kind to it: `{name or 's'} += float(...)`"
    return Refused(message, loop.location, f"{_IN_ORDER}, or {adding}")


# -- what the loop carries -----------------------------------------------------------------------------

#: a use of a value: of an operation's operand, or as a result of a block
Use: TypeAlias = "tuple[Operation | Block, int]"


def _kind_of(loop: Operation, k: int) -> str | None:
    body = loop.blocks[0]
    param, result = body.params[1 + k], body.results[k] if body.results else body.params[1 + k]
    if result is param:
        return "same"
    uses = _uses(body)
    if not uses.get(param):
        return "last"
    for chain in (_Chain(param), _Setting(param)):
        if chain.leads_to(result) and len(chain.kinds) == 1:
            chain.allowed.add((body, k))
            if all(chain.allowed.issuperset(uses.get(value, ())) for value in chain.values):
                return next(iter(chain.kinds))[0]
    return None


def _uses(body: Block) -> dict[Value, list[Use]]:
    found: dict[Value, list[Use]] = {}
    blocks = [body, *[block for op in walk(body) for block in op.blocks]]
    for block in blocks:
        for k, value in enumerate(block.results):
            found.setdefault(value, []).append((block, k))
        for op in block.operations:
            for k, value in enumerate(op.inputs):
                found.setdefault(value, []).append((op, k))
    return found


class _Chain:
    """The values on the way from what an iteration gets to what it hands on, combined with others only."""

    def __init__(self, param: Value) -> None:
        self.values = {param}
        self.allowed: set[Use] = set()
        self.kinds: set[tuple[str, ...]] = set()

    def leads_to(self, value: Value) -> bool:
        """Is it what was got, combined with others, whichever way a run takes?"""
        if value in self.values:
            return True
        op = value.owner
        if op is None:
            return False
        if not op.blocks:
            return self._combines(op)
        if op.is_branch:
            k = op.outputs.index(value)
            going_on = [block for block in op.blocks if block.ends == "yield"]
            if all(self.leads_to(block.results[k]) for block in going_on):
                return self._add(value, *[(block, k) for block in going_on])
        elif op.is_counted and len(op.blocks) == 1 and op.blocks[0].ends == "yield":
            k, (block,) = op.outputs.index(value), op.blocks
            if self.leads_to(op.inputs[3 + k]):
                self.values.add(block.params[1 + k])
                if self.leads_to(block.results[k]):
                    return self._add(value, (op, 3 + k), (block, k))
        return False

    def _combines(self, op: Operation) -> bool:
        places, kind = _COMBINING.get(op.name, ((), ""))
        type = op.outputs[0].type
        is_number = isinstance(type, NumberType | ScalarType) and type.dtype.kind in "iuf"
        for place in places if is_number else ():
            if self.leads_to(op.inputs[place]):
                self.kinds.add((kind,))
                return self._add(op.output, (op, place))
        return False

    def _add(self, value: Value, *uses: Use) -> bool:
        self.values.add(value)
        self.allowed.update(uses)
        return True


class _Setting(_Chain):
    """The same of what is left as it is or set to one constant, as a flag is; its kinds are the constants."""

    def _combines(self, op: Operation) -> bool:
        if op.is_constant:
            self.kinds.add(("flag", repr(op.attributes["value"])))
            return True
        found = op.name == "py.select" and all(map(self.leads_to, op.inputs[1:]))
        return found and self._add(op.output, (op, 1), (op, 2))


# -- memory --------------------------------------------------------------------------------------------


def _touches(loop: Operation, body: Block) -> tuple[dict[Value, Place], tuple[Value, ...]] | Refused:
    """The arrays from outside whose items are written, and all whose items are used."""
    places = _Places(loop, body)
    written: dict[Value, Place] = {}
    accesses: list[tuple[Operation, Value, Place | None]] = []
    for op in walk(body):
        effects = effects_of(op)
        for k, value in enumerate(op.inputs):
            if not isinstance(value.type, ArrayType) or not (effects.reads or k in effects.writes):
                continue
            if effects.view_of == k and k not in effects.writes and not effects.copies:
                continue
            array, place = places.of(op, value) if k == 0 else places.whole(value)
            if array is None:
                continue
            accesses.append((op, array, place))
            if k in effects.writes:
                if place is None:
                    return _same_places(op, array, loop)
                written.setdefault(array, place)
    for op, array, place in accesses:
        if written.get(array, place) != place:
            told = f"one iteration of this `prange` touches items of {_told(array)} that another one writes"
            hint = f"{_IN_ORDER}, or read from a copy made before the loop"
            return Refused(told, op.location, hint)
    if written and (moved := places.moved()) is not None:
        told = "this `prange` writes arrays, and may write this one, too"
        return Refused(told, moved, f"{_IN_ORDER}, or take the array before the loop")
    return written, tuple(dict.fromkeys([array for _, array, _ in accesses]))


def _same_places(op: Operation, array: Value, loop: Operation) -> Refused:
    counter = plain_hint(loop.blocks[0].params[0].hint) or "i"
    told = f"iterations of this `prange` may write the same items of {_told(array)}"
    hint = (
        f"write where the counter says, as in `x[{counter}] = ...` or `x[{counter}, j] = ...`, or {_IN_ORDER}"
    )
    return Refused(told, op.location, hint)


def _told(array: Value) -> str:
    name = plain_hint(array.hint)
    return f"`{name}`" if name else "an array"


class _Places:
    """Which memory a value of the loop's body is: of which array from outside, and where in it."""

    def __init__(self, loop: Operation, body: Block) -> None:
        self.counter = body.params[0]
        self.inner = [*walk(body)]
        blocks = [body, *[block for op in self.inner for block in op.blocks]]
        self.inside = {v for op in self.inner for v in op.outputs}.union(*[block.params for block in blocks])
        self.loop = loop

    def moved(self) -> Location | None:
        """Where an array comes from a block, an object or unknown code, so that nobody knows which it is."""
        for op in (self.loop, *self.inner):
            params = [v for block in op.blocks for v in block.params]
            arrays = [v for v in (*op.outputs, *params) if isinstance(v.type, ArrayType)]
            unknown = op.blocks or op.is_constant or op.is_call or effects_of(op).ordered
            if arrays and (unknown or any(isinstance(v.type, ObjectType) for v in op.inputs)):
                return op.location
        return None

    def whole(self, value: Value) -> tuple[Value | None, Place | None]:
        """The array from outside that the memory is of; None where the iteration has made it."""
        place: Place | None = None
        while value in self.inside:
            op = value.owner
            k = effects_of(op).view_of if op is not None else None
            if op is None or k is None:
                return None, None
            value = op.inputs[k]
            place = self._place(op) if value not in self.inside else None
        return value, place

    def of(self, op: Operation, value: Value) -> tuple[Value | None, Place | None]:
        """The same of the items that an operation uses of its first operand."""
        if value not in self.inside and op.is_item:
            return value, self._place(op)
        return self.whole(value)

    def _place(self, op: Operation) -> Place | None:
        """Where the index of an item or of a part says the counter."""
        if not op.is_item:
            return None
        dynamic = op.indices
        if any(isinstance(v.type, ArrayType) for v in dynamic):
            return None
        array = op.inputs[0].type
        assert isinstance(array, ArrayType)
        items = expand_index(op.attributes["index"], array.ndim, [v.type for v in dynamic])
        for axis, item in enumerate([item for item in items if item is not None]):
            if isinstance(item, Dynamic):
                base, offset = sum_of(dynamic[item.index])
                if base is self.counter:
                    return Place(axis, offset)
        return None
