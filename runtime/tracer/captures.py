"""What a block leaves behind, taken down at its end: instances as attributes, where one place holds them.

When a block of staged control flow ends, what it stored in slots is undone, and its values live on only as
its results. An instance that the block made is then its attributes (`Made`), made anew wherever it goes.
That is right while exactly one place holds it: with two names, a store through one would be seen through
the other. So references are counted, those of the trace itself left out. Who is known from before keeps his
identity.
"""

from __future__ import annotations

import operator
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from runtime.graph import Block, Value, walk
from runtime.ops.instances import attributes, can_be_remade
from runtime.ops.template import plain_items, tuple_of
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice, Identity, Made

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def references(value: Any) -> int:
    return sys.getrefcount(value)


#: what `references` says, in the shape of the calls below, of an object that one container alone holds
UNSHARED: int = [references(item) for item in (list[int](),)][0]


class Capture:
    """One look at the values of variables and slots."""

    def __init__(
        self,
        trace: Trace,
        block: Block,
        values: Sequence[Any],
        slots: Sequence[Any],
        before: Sequence[Any],
        owners: Sequence[int | None] = (),
    ) -> None:
        """``owners``: of the slots that are attributes of instances of the trace, who these are."""
        self.trace = trace
        self.block = block
        self.before = before
        self.made: set[int] = set()  # instances that are structures from now on
        self._own: set[Value] | None = None
        self._seen: dict[int, int] = {}
        self._within: set[int] = set()
        self._looked_at: set[int] = set()
        self._in_slots = slots
        self._count_all(values)
        self._count_all([value for value, owner in zip(slots, owners, strict=False) if owner is None])
        for value, owner in zip(slots, owners, strict=False):
            if owner is not None and owner not in self._seen:  # else its owner was asked
                self._count(value)
        value = None
        self._parts = self._held_by_trace()
        self._known = Counter(trace.shared.known())
        # a variable that held the value before holds it again now
        names = [sum(1 for other in before if other is value) for value in values]
        self.values = self._views(values, names)
        self.slots = self._views(slots, [1] * len(slots))

    def is_gone(self, identity: int) -> bool:
        """Is this instance of the block a structure from now on, or held by nobody?"""
        instance = self.trace.outside.local(identity)
        if not is_fresh(self.trace, instance):
            return False
        if identity in self.made:
            return True
        others = [references(one) for one in (instance,)][0] - UNSHARED - 2  # this variable, the list of all
        return identity not in self._seen and others - self._internal(instance) <= 0

    # -- counting -------------------------------------------------------------------------------------

    def _count_all(self, values: Sequence[Any]) -> None:
        for value in values:
            self._count(value)

    def _count(self, value: Any) -> None:
        """How many places hold each instance, of those that are looked at."""
        if isinstance(value, tuple | Choice):
            self._looked_at.add(id(value))
            for part in value.values if isinstance(value, Choice) else plain_items(value):
                self._count(part)
        elif self.trace.outside.is_local(value):
            self._seen[id(value)] = self._seen.get(id(value), 0) + 1
            if id(value) not in self._within:
                self._within.add(id(value))
                for part in attributes(value).values():
                    self._count(part)

    def _held_by_trace(self) -> list[Any]:
        """What the trace holds for its own purposes, part by part."""
        trace = self.trace
        asked = () if any(holder is self.before for holder in trace.holding) else self.before
        parts = [part for holder in (*trace.holding, asked) for part in holder]
        parts += [before for frame in trace.frames for _, before in frame.written.values()]
        for region in trace.regions:
            parts += region.held()
        counts = [references(part) for part in parts]
        inner: dict[int, Any] = {}
        for part, count in zip(parts, counts, strict=True):
            if isinstance(part, tuple | Choice) and id(part) not in self._looked_at:
                mine = sum(1 for other in parts if other is part)
                if count - UNSHARED <= 2 * mine - 1:  # nobody but a holder and this list, for each
                    inner[id(part)] = part
        for container in inner.values():
            parts += container if isinstance(container, tuple) else container.values
        return parts

    def _internal(self, value: Any) -> int:
        """The references to a value that the trace holds for its own purposes, this object included."""
        held = sum(2 if part is value else _refers(part, value) for part in self._parts)
        return held + self._known[id(value)]

    # -- views ----------------------------------------------------------------------------------------

    def _views(self, values: Sequence[Any], places: Sequence[int]) -> list[Any]:
        counts = [references(value) for value in values]
        return [
            self._view(value, count - UNSHARED - place)
            for value, count, place in zip(values, counts, places, strict=True)
        ]

    def _view(self, value: Any, others: int, single: bool = True) -> Any:
        """``others``: references from elsewhere, those of the trace included."""
        if isinstance(value, tuple | Choice) and self.holds_instance(value):
            return self._structure(value, others, single)
        if self.trace.outside.is_local(value):
            return self._instance(value, others, single)
        return value

    def _structure(self, value: Any, others: int, single: bool) -> Any:
        single = single and others - self._internal(value) <= 0
        parts = value if isinstance(value, tuple) else value.values
        counts = [references(part) for part in parts]
        views = [self._view(p, c - UNSHARED, single) for p, c in zip(parts, counts, strict=True)]
        if isinstance(value, Choice):
            return Identity(value, value.of(tuple(views)))
        return Identity(value, tuple_of(value, views))

    def _instance(self, value: Any, others: int, single: bool) -> Any:
        others -= 1 + self._internal(value)  # the trace keeps a list of all instances
        single = single and others <= 0 and self._seen[id(value)] == 1 and can_be_remade(type(value))
        made = self._made(value) if single else None
        return made if made is not None and self.is_fresh(value) else Identity(value, made)

    def _made(self, value: Any) -> Made | None:
        held = attributes(value)
        names, parts = list(held), list(held.values())
        del held
        counts = [references(part) for part in parts]
        views = {}
        for name, part, count in zip(names, parts, counts, strict=True):
            others = count - UNSHARED - 1 - sum(1 for value in self._in_slots if value is part)
            view = self._by_identity(self._view(part, others))
            if not self._may_be_part(view, others):
                return None
            views[name] = view
        self.made.add(id(value))
        return Made(type(value), views, self.trace.outside.real.get(id(value)))

    def _by_identity(self, view: Any) -> Any:
        """Lists and dicts from outside are who they are in an instance that is made anew, in tuples, too."""
        if type(view) in (list, dict):
            return Identity(view) if self.is_known(view) else view
        if isinstance(view, Identity) and isinstance(view.made, tuple | Choice):
            return Identity(view.value, self._by_identity(view.made))
        if not isinstance(view, tuple | Choice):
            return view
        parts = view.values if isinstance(view, Choice) else view
        known = tuple(map(self._by_identity, parts))
        if all(map(operator.is_, known, parts)):
            return view
        return view.of(known) if isinstance(view, Choice) else tuple_of(view, known)

    def _may_be_part(self, view: Any, others: int) -> bool:
        """May an instance that is made anew hold this?"""
        if isinstance(view, Identity) and isinstance(view.made, tuple | Choice):
            parts = view.made if isinstance(view.made, tuple) else view.made.values
            return all(self._may_be_part(part, 0) for part in parts)
        if isinstance(view, Identity):
            return view.made is not None or not self.is_fresh(view.value)
        if type(view) in (list, dict):
            return not self.has_own(view) and others - self._internal(view) <= 0
        return True

    def holds_instance(self, value: Any) -> bool:
        if isinstance(value, tuple | Choice):
            return any(
                map(self.holds_instance, value.values if isinstance(value, Choice) else plain_items(value))
            )
        return self.trace.outside.is_local(value)

    def is_known(self, container: Any) -> bool:
        return self.trace.outside.original(container) is not None

    def is_fresh(self, value: Any) -> bool:
        """Was the instance made in this block, or in one inside?"""
        return is_fresh(self.trace, value)

    def has_own(self, container: Any) -> bool:
        """Does a list or dict hold values that only this block knows?"""
        if self._own is None:
            self._own = {v for op in walk(self.block) for v in op.outputs} | set(self.block.params)
        parts = container.values() if isinstance(container, dict) else container
        return any(isinstance(part, Staged) and part.value in self._own for part in parts) or any(
            type(part) in (list, dict) or self.holds_instance(part) for part in parts
        )


def is_fresh(trace: Trace, value: Any) -> bool:
    """Was the instance made in the block that is open, or in one inside?"""
    if not trace.outside.is_local(value):
        return False
    frame, _ = trace.outside.births[id(value)]
    return frame is not None and not any(frame is outer for outer in trace.frames[:-1])


def _held(parts: Any, value: Any) -> int:
    return sum(_refers(part, value) for part in parts)


def _refers(part: Any, value: Any) -> int:
    """How often a part of what the trace holds refers to a value itself."""
    if isinstance(part, Identity):
        inner = part.made
        return (part.value is value) + (
            _refers(inner, value) if isinstance(inner, Made) else _inside(inner, value)
        )
    if isinstance(part, Made):
        return _held(part.held.values(), value)
    return part is value


def _inside(made: Any, value: Any) -> int:
    """The same, in the tuple or choice that stands for another one."""
    if made is None:
        return 0
    return _held(made if isinstance(made, tuple) else made.values, value)
