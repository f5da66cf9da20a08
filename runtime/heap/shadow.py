"""Facts: what attributes of objects of the run and items of lists are at this point of a trace.

A fact is the trace's own value of a field, that which was stored or loaded last. Each open block has
facts, to begin with those of the block around it. An operation that may write a field makes the facts
about it go, in all open blocks: so what a body may write is unknown at the head of a loop, in a
handler, and after the statement.

>>> from runtime.graph import Block, Operation, Value
>>> from runtime.types import InstanceType
>>> kind = InstanceType("Node", object)
>>> a, b = Value(kind, "a"), Value(kind, "b")
>>> heap = ShadowHeap([Block([a, b])])
>>> for reference, name in ((a, "x"), (b, "x"), (b, "y")):
...     heap.learn(reference, name, 1.0)
>>> heap.forget(field_of(a, "x"), a)
>>> heap.fact(a, "x"), heap.fact(b, "x"), heap.fact(b, "y")
(UNKNOWN, UNKNOWN, 1.0)
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from autograph.records import record
from runtime.graph import Block, Operation, Value
from runtime.graph.effects import LEAVES, Field, fields_of, may_write_fields
from runtime.graph.rewrite import is_there
from runtime.heap.origins import Origins
from runtime.ops.calling import CALL
from runtime.types import InstanceType


class Unknown(enum.Enum):
    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return self.name


UNKNOWN: Final = Unknown.UNKNOWN

#: an object, of an attribute; a list and an index, of an item
Place: TypeAlias = "Value | tuple[Value, int | Value]"
#: by field, and place; the inner ones are never changed, so that copies share them
Facts: TypeAlias = "dict[Field, Mapping[Place, Any]]"


@record
class Moment:
    """What was known at a point of the trace."""

    facts: Facts
    private: frozenset[Value]
    references: int  # how many were known
    asked: int  # how many loads there were, ...
    stored: int  # ... and stores
    relied_on: int  # as `Origins.relied_on`


@record
class Change:
    """An attribute of an object, and what it holds on several paths."""

    reference: Value
    name: str
    values: list[Any]


class ShadowHeap:
    """The facts of one trace. ``blocks``: those that are open, the innermost last."""

    def __init__(self, blocks: list[Block]) -> None:
        self.origins = Origins()
        self._blocks = blocks
        self._facts: dict[Block, Facts] = {}
        self._asked: list[tuple[Field, Place]] = []  # what was loaded, known or not, in turn
        self._stored: list[tuple[Field, Place]] = []  # and the attributes that were stored

    # -- loads and stores -------------------------------------------------------------------------------

    def fact(self, reference: Value, name: str) -> Any:
        """What an attribute holds, or UNKNOWN."""
        return self._fact(field_of(reference, name), reference)

    def learn(self, reference: Value, name: str, value: Any) -> None:
        """An attribute holds this value now: the operation that stored or loaded it was appended."""
        self._learn(field_of(reference, name), reference, value)

    def item(self, items: Value, index: int | Value) -> Any:
        """What a list holds under an index, or UNKNOWN."""
        return self._fact(_ITEMS, (items, index))

    def learn_item(self, items: Value, index: int | Value, value: Any) -> None:
        """A list holds this value under an index now, and under no other name of this index another one."""
        self._learn(_ITEMS, (items, index), value)

    def _fact(self, field: Field, place: Place) -> Any:
        found = self._here().get(field, {}).get(place, UNKNOWN)
        self._asked.append((field, place))
        return found

    def _learn(self, field: Field, place: Place, value: Any) -> None:
        self.origins.meet(_base(place))
        facts = self._here()
        facts[field] = {**facts.get(field, {}), place: value}

    # -- forgetting -------------------------------------------------------------------------------------

    def follow(self, operation: Operation) -> None:
        """An operation was appended to the innermost block."""
        self.origins.note(operation)
        if operation.blocks or operation.name in LEAVES:  # what stands in its blocks was followed there
            return
        if operation.name == CALL:
            self.forget_all()
        elif may_write_fields(operation):
            for field in fields_of(operation) or (None,):
                if field is None:
                    self.forget_all()
                else:
                    self._stored.append((field, operation.inputs[0]))
                    self.forget(field, operation.inputs[0])

    def forget(self, field: Field, reference: Value) -> None:
        """Somebody may store to this field of the object, which may be one that is known by another name."""
        self.origins.meet(reference)
        may_be_one = self.origins.may_be_one
        for facts in self._open():
            known = facts.get(field)
            if known:
                kept = {
                    place: value for place, value in known.items() if not may_be_one(_base(place), reference)
                }
                if len(kept) < len(known):
                    facts[field] = kept

    def forget_all(self) -> None:
        for facts in self._open():
            facts.clear()

    # -- blocks -----------------------------------------------------------------------------------------

    def _here(self) -> Facts:
        return self._of(len(self._blocks) - 1)

    def _of(self, depth: int) -> Facts:
        block = self._blocks[depth]
        facts = self._facts.get(block)
        if facts is None:
            depth = self._blocks.index(block)  # one that is open may be entered once more
            facts = self._facts[block] = dict(self._of(depth - 1)) if depth else {}
        return facts

    def _open(self) -> list[Facts]:
        return [self._of(depth) for depth in range(len(self._blocks))]

    def begin_function(self, body: Block) -> None:
        """What is traced into this block runs whenever the function is called: nothing is known there."""
        self._facts[body] = {}
        self.origins.share_all()

    def moment(self) -> Moment:
        """What is known here, to be compared with later, or to go back to."""
        origins, facts = self.origins, dict(self._here())
        counts = origins.count(), len(self._asked), len(self._stored), len(origins.relied_on)
        return Moment(facts, frozenset(origins.private), *counts)

    def go_back(self, moment: Moment) -> None:
        """What was appended to the innermost block since then was taken back, or stands on another path."""
        self._facts[self._blocks[-1]] = dict(moment.facts)

    def meet(self, ends: Sequence[Moment]) -> None:
        """Paths meet here, which began with the same facts: those that all of them have left hold on."""
        if ends:
            first, *others = [end.facts for end in ends]
            self._facts[self._blocks[-1]] = {
                field: _in_all(known, [other.get(field, {}) for other in others])
                for field, known in first.items()
            }

    def on_paths(self, before: Moment, count: int, ends: Sequence[Block]) -> Iterator[Change]:
        """Attributes of which each of these paths has left a fact, and not all the same.

        ``before``: what the paths began with; ``count``: only of the references that were known when there
        were so many, since others belong to a path.
        """
        first, *others = [self._facts.get(block, before.facts) for block in ends]
        for field, known in first.items():
            for place, value in known.items():
                left = [value, *(other.get(field, {}).get(place, UNKNOWN) for other in others)]
                was = before.facts.get(field, {}).get(place, UNKNOWN)
                if any(one is UNKNOWN for one in left) or all(one is was for one in left):
                    continue
                if isinstance(place, Value) and self.origins.is_before(place, count):
                    yield Change(place, field.name, left)

    def changed_in(self, body: Block, head: Moment) -> Iterator[Change]:
        """Attributes that the body of a loop reads and stores to, of objects from before the loop: what they
        hold at its head, and what it has left, as far as that is known."""
        end, stored = self._facts.get(body, head.facts), set(self._stored[head.stored :])
        for field, place in dict.fromkeys(self._asked[head.asked :]):
            before = head.facts.get(field, {}).get(place, UNKNOWN)
            after = end.get(field, {}).get(place, UNKNOWN)
            if (field, place) not in stored or (before is after and before is not UNKNOWN):
                continue
            if isinstance(place, Value) and self.origins.is_before(place, head.references):
                if before is not UNKNOWN or is_there(place, self._blocks[0].params):  # else no load finds it
                    yield Change(place, field.name, [one for one in (before, after) if one is not UNKNOWN])

    def holds_again(self, head: Moment) -> bool:
        """Is what the body of a loop took for granted at its head true when it comes there again?"""
        now = self._here()
        for field, place in set(self._asked[head.asked :]):
            value = head.facts.get(field, {}).get(place, UNKNOWN)
            if value is not now.get(field, {}).get(place, UNKNOWN):
                return False
        given = head.private - self.origins.private
        return given.isdisjoint(self.origins.relied_on[head.relied_on :])


def _in_all(known: Mapping[Place, Any], others: Sequence[Mapping[Place, Any]]) -> Mapping[Place, Any]:
    if all(other is known for other in others):
        return known
    return {
        place: value
        for place, value in known.items()
        if all(other.get(place, UNKNOWN) is value for other in others)
    }


_ITEMS = Field("list", "items")


def _base(place: Place) -> Value:
    return place[0] if isinstance(place, tuple) else place


def field_of(reference: Value, name: str) -> Field:
    """The attribute of all objects of the class."""
    kind = reference.type
    assert isinstance(kind, InstanceType)
    return Field(id(kind.cls), name)
