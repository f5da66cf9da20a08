"""What paths leave in slots: lists and dicts that other places hold too are known by identity there.

    rows = [first, second]
    if x[0] > 0:
        rows[1] = [x[0], 0.0]
        rows[1][1] += 1.0

The contents of ``rows`` are a slot, and so are those of a list in it. Who is in a slot is a structure, made
anew after the statement, only where nobody else holds it and the paths left it alone: else a store through
one name would be lost for the other.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from runtime.control_flow.blocks import Outcome
from runtime.control_flow.carried_parts import own_values
from runtime.control_flow.joins import identity_of, parts_of, with_two_names
from runtime.graph import Value
from runtime.ops.item_patterns import KINDS
from runtime.ops.template import tuple_of
from runtime.tracer.builder import Staged
from runtime.tracer.captures import UNSHARED, references
from runtime.tracer.slots import Contents, LocalAttribute
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.tracer.trace_base import Slot

Slots = dict[Hashable, tuple[Slot, Any]]


def written_slots(outcomes: Sequence[Outcome]) -> Slots:
    """The slots that any of the blocks wrote, with their values before.

    Left out are contents of lists that a block made itself: it alone knows what was in them before.
    """
    written: Slots = {}
    for outcome in outcomes:
        has_contents = any(isinstance(slot, Contents) for slot, _, _ in outcome.slots.values())
        own = own_values(outcome.block) if has_contents else set()
        for key, (slot, before, _) in outcome.slots.items():
            if not (isinstance(slot, Contents) and holds(before, own)):
                written[key] = (slot, before)
    return written


def values_of_slots(
    trace: Trace,
    outcomes: Sequence[Outcome],
    slots: Slots,
    noted: Iterable[tuple[Slot, Any]] = (),
    holders: Iterable[Any] = (),
    copied: bool = False,
) -> list[list[Any]]:
    """What each of the blocks leaves in each of ``slots``, which are given with their values before.

    ``noted``: more notes of the trace about slots; ``holders``: more lists and dicts of its own; ``copied``:
    the lists in the views are not those of the program, which may change.
    """
    ours = _Ours(trace, outcomes, slots, noted, holders)
    return [
        [_Settling(trace, outcome, ours, pair[0], copied).value(key, pair) for key, pair in slots.items()]
        for outcome in outcomes
    ]


class _Settling:
    """One slot at the end of one block."""

    def __init__(self, trace: Trace, outcome: Outcome, ours: _Ours, slot: Slot, copied: bool) -> None:
        self.trace = trace
        self.outcome = outcome
        self.ours = ours
        self.slot = slot
        self.copied = copied
        self.contents = {  # what the block leaves in those that it changed
            id(one.container): left for one, _, left in outcome.slots.values() if isinstance(one, Contents)
        }

    def value(self, key: Hashable, pair: tuple[Slot, Any]) -> Any:
        written = key in self.outcome.slots
        left = self.outcome.views.get(key, self.outcome.slots[key][2]) if written else pair[1]
        if written:
            self._require_known(left)
        if isinstance(self.slot, Contents):
            stored = parts_of(self.slot.container)
            return self._made_of(left, self._items(parts_of(left), stored))
        if type(left) not in (list, dict) and not isinstance(left, tuple | Choice):
            return left
        stored = [self.slot.get()] if isinstance(self.slot, LocalAttribute) else []
        parts = [left]
        left = None
        return self._items(parts, stored)[0]

    def _require_known(self, left: Any) -> None:
        """An instance that is left somewhere, and for which the block alone has the run's object."""
        held = parts_of(left) if type(left) in (list, dict) or isinstance(left, tuple) else [left]
        held = [one for item in held for one in (item.values if isinstance(item, Choice) else (item,))]
        for item in held:
            real = self.trace.outside.real.get(id(item)) if self.trace.outside.is_local(item) else None
            if real is not None and real in own_values(self.outcome.block):
                if isinstance(self.slot, Contents):
                    self.trace.containers.require(self.slot.container)
                self.trace.references.require_class(item)
                raise self.trace.refuse(
                    f"a {type(item).__name__} that a handler has is kept in `{self.slot.name}`",
                    "keep it in a variable, or keep its text",
                    self.slot.name,
                )

    def _items(self, parts: list[Any], stored: list[Any]) -> list[Any]:
        """Views of ``parts``, a list of our own; ``stored``: what the place that they are in holds."""
        counts = [references(part) - UNSHARED for part in parts]
        return [
            self._item(part, count - 2 * sum(1 for one in stored if one is part))
            for part, count in zip(parts, counts, strict=True)
        ]

    def _item(self, part: Any, others: int) -> Any:
        """``others``: references from elsewhere, those of the trace included."""
        if isinstance(part, tuple | Choice) and others > self.ours.count(part):
            return with_two_names(self.trace, part, self.outcome.block)
        if isinstance(part, Choice):
            items = self._items(list(part.values), list(part.values))
            return part if all(map(operator.is_, items, part.values)) else part.of(tuple(items))
        if type(part) not in (list, dict) and not (isinstance(part, tuple) and part):
            return part
        left = part
        if isinstance(part, list | dict):
            if others > self.ours.count(part) or self.trace.outside.original(part) is not None:
                return identity_of(self.trace, part, self.outcome.block)
            left = self.contents.get(id(part), part)
        made = self._made_of(left, self._items(parts_of(left), parts_of(part)))
        return made.copy() if self.copied and made is part and isinstance(part, list | dict) else made

    def _made_of(self, structure: Any, parts: list[Any]) -> Any:
        """``structure`` with these parts; a new one holds them for us while others are looked at."""
        if all(a is b for a, b in zip(parts_of(structure), parts, strict=True)):
            return structure
        made: Any = parts
        if isinstance(structure, dict):
            made = dict(zip(structure, parts, strict=True))
        elif not isinstance(structure, list):
            made = tuple_of(structure, parts)
        self.ours.hold(made)
        return made


class _Ours:
    """References that the trace holds for its own purposes: notes about slots, and copies of contents."""

    def __init__(
        self,
        trace: Trace,
        outcomes: Sequence[Outcome],
        slots: Slots,
        noted: Iterable[tuple[Slot, Any]],
        holders: Iterable[Any],
    ) -> None:
        self.trace = trace
        self.holders: dict[int, Any] = {}  # containers of references, by their identity
        self.held: Counter[int] = Counter()  # how many references there are in them, by who is referred to
        self.about: set[int] = set()  # slots that are about containers, by identity
        for outcome in outcomes:
            for key, triple in outcome.slots.items():
                self._add(triple[0], triple)
                if key in outcome.views and isinstance(triple[0], Contents):
                    self.hold(outcome.views[key])
            self.hold(outcome.views)
            self.hold(outcome.heads)
        for frame in trace.frames:
            for pair in frame.written.values():
                self._add(pair[0], pair)
            for _, copy in frame.copies:
                self.hold(copy)
        for pair in (*slots.values(), *trace.noted.values(), *noted):
            self._add(pair[0], pair)
        self.held.update(trace.shared.known())
        for holder in holders:
            self.hold(holder)

    def hold(self, holder: Any) -> None:
        if id(holder) not in self.holders:
            self.holders[id(holder)] = holder
            self.held.update(map(id, holder.values() if isinstance(holder, dict) else holder))

    def _add(self, slot: Slot, note: tuple[Any, ...]) -> None:
        self.hold(note)
        if isinstance(slot, Contents):
            if id(slot) not in self.about:
                self.about.add(id(slot))
                self.held[id(slot.container)] += 1
            for copy in note[1:]:
                self.hold(copy)

    def count(self, part: Any) -> int:
        """How many of the references to ``part`` are ours."""
        return self.held[id(part)] + self.trace.outside.is_kept(part)


def holds(structure: Any, own: set[Value]) -> bool:
    """Does a structure hold one of these values of a graph?"""
    if isinstance(structure, Staged):
        return structure.value in own
    if isinstance(structure, Choice):
        return holds(structure.tag, own) or any(holds(value, own) for value in structure.values)
    return isinstance(structure, list | dict | tuple) and any(holds(p, own) for p in parts_of(structure))


def note_stored(trace: Trace, value: Any, ways: Iterable[Any]) -> None:
    """``value`` stands from here on for what the paths left, ``ways``: a list or dict that one of them stored
    in something from outside is a run's object there, and ``value`` has to be that object."""
    ways = [part for way in ways for part in (way.values if isinstance(way, Choice) else (way,))]
    for part in value.values if isinstance(value, Choice) else (value,):
        same = [way for way in ways if type(way) is type(part) and way is not part]
        if type(part) in (list, dict) or isinstance(part, tuple):
            for way in same:
                for item, left in zip(parts_of(part), parts_of(way), strict=False):
                    note_stored(trace, item, (left,))
        stored = [way for way in same if type(way) in KINDS and id(way) in trace.outside.stored]
        if stored:
            trace.outside.stored.add(id(part))
            trace.outside.keep(part)
            trace.containers.stand_for(part, stored[0])
