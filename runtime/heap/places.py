"""Places of which a trace knows what they hold.

A place of an object or a container of the run is told by its reference: the object itself, of an attribute;
a list or dict, of its length or keys; one and an index or key, of an item. A *static place* belongs to a
Python object that the trace knows: no other one is the same place, and no load is needed to ask it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from autograph.records import record
from runtime.graph import Value


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
