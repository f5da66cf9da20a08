"""Places of which a trace knows what they hold, and which two references may be one object.

A place of an object or a container of the run is told by its reference: the object itself, of an attribute;
a list or dict, of its length or keys; one and an index or key, of an item. A *static place* belongs to a
Python object that the trace knows: no other one is the same place, and no load is needed to ask it.

A reference is a value of the graph; two values of one class may be one object, but for these reasons:

* An object that is made is none of those that were known before.
* An object of the outside is none that the trace makes.
* Lists that are made at different places of the program are different.

>>> from runtime.graph import Operation, Value
>>> from runtime.types import InstanceType
>>> kind = InstanceType("Node", object)
>>> param, made = Value(kind, "p"), Operation("object.make", (), (kind,), {}).output
>>> origins = Origins()
>>> origins.meet(param)
>>> origins.meet(made)
>>> origins.may_be_one(param, made)
False
"""

from __future__ import annotations

from typing import Any, TypeAlias

from autograph.records import record
from runtime.graph import Value
from runtime.graph.effects import effects_of
from runtime.guards.paths import PathBase
from runtime.types import ContainerType


@record(slots=False, frozen=False, eq=False)
class StaticPlace:
    """One such place, made once. ``name`` is how people call it."""

    name: str

    #: one that a block makes may be used after the block
    outlives_block = False
    #: Python reads and writes it with no hook
    is_shown = False

    def entry(self) -> Any:
        """What it held when the call began, ``Undefined(name)`` where that was nothing."""
        raise NotImplementedError

    def accept(self, value: Any) -> Any:
        """What it holds when this is stored, or several paths have left this. Raises StagingError."""
        return value

    def show(self, value: Any) -> None:
        """Python is to find this value there."""

    def record(self, value: Any, was_there: bool) -> None:
        """Append the operation that stores the value in the real object, where there is one.

        ``was_there``: it surely held something before.
        """


Place: TypeAlias = "Value | tuple[Value, Any]"


def base_of(place: Place) -> Value:
    """The reference that a place belongs to."""
    return place[0] if isinstance(place, tuple) else place


class Origins:
    """Where the references of one trace come from."""

    def __init__(self) -> None:
        self._order: dict[Value | StaticPlace, int] = {}  # as they became known
        self._now = 0
        self._outside: set[Value] = set()

    def meet(self, value: Value | StaticPlace) -> None:
        """``value`` is a reference, or a static place that the trace has made."""
        if value not in self._order:
            self._order[value] = self._now
            self._now += 1

    def meet_before(self, place: StaticPlace, count: int) -> None:
        """A static place was known when so many references were, and just then."""
        self._order[place] = count - 1

    def meet_outside(self, value: Value) -> None:
        """``value`` is an object that was there before the call."""
        self.meet(value)
        self._outside.add(value)

    def count(self) -> int:
        """How many references are known; another number each time."""
        self._now += 1
        return self._now

    def is_before(self, value: Value | StaticPlace, count: int) -> bool:
        """Was it there when so many were known? What is from outside was, whenever it was met."""
        return value in self._outside or self._order.get(value, -1) < count

    def may_be_one(self, a: Value, b: Value) -> bool:
        """May these references to objects of one class, or to lists, be one?"""
        if a is b:
            return True
        if isinstance(a.type, ContainerType) and isinstance(b.type, ContainerType):
            if a.type.sites and b.type.sites and not may_meet(a.type.sites, b.type.sites):
                return False
        older, newer = sorted((a, b), key=self._order.__getitem__)
        if _is_made(newer):
            return newer.owner is older.owner  # copies of one thing are one
        return not (_is_made(older) and newer in self._outside)


def may_meet(a: frozenset[Any], b: frozenset[Any]) -> bool:
    """May containers of these places be the same one?

    What lies within others from outside may be anything from there. Those that were found along two paths
    are two, which a guard says (`outside/watched.py`).
    """
    if not a.isdisjoint(b):
        return True
    inside_a, inside_b = any(map(_is_inside, a)), any(map(_is_inside, b))
    return (inside_a and any(map(is_outside, b))) or (inside_b and any(map(is_outside, a)))


def is_outside(site: Any) -> bool:
    """Was the container there before the call?"""
    return isinstance(site, PathBase) or site[0] == "items of"


def _is_inside(site: Any) -> bool:
    return not isinstance(site, PathBase) and site[0] == "items of"


def _is_made(value: Value) -> bool:
    """Is it an object that nobody knew before?"""
    return value.owner is not None and effects_of(value.owner).makes == "object"
