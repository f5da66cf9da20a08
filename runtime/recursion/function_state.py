"""What a graph function reads and changes besides its arguments: attributes, globals, variables around it.

A *place* is a slot or a closure cell that the function changes, or that was changed before it calls itself.
Each call takes the place's value as a parameter and, where the function changes it, gives the new one back.
All others hold for every call what they held when the function was traced: that is checked.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from types import CellType
from typing import TYPE_CHECKING, Any

from autograph.records import record
from runtime.recursion.function_arguments import staged_numbers
from runtime.specs.spec import Spec, same_constant
from runtime.tracer.slots import CellSlot, IteratorPlace, key_of
from runtime.tracer.spec import join, spec_of
from runtime.tracer.trace_base import Slot

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


@record(slots=False, frozen=False, eq=False)
class Place:
    """One of them, with the spec of all that it may hold. ``written``: calls give it another value."""

    slot: Slot
    spec: Spec
    written: bool = False


class FunctionState:
    """The places of one graph function, and what all others held when it was traced."""

    def __init__(self, trace: Trace, cells: list[tuple[str, CellType]]) -> None:
        self.trace = trace
        self.places: dict[Hashable, Place] = {}
        self.changed = False  # since the body's trace began
        self.cells = {key_of(cell): trace.shared.slot_of(name, cell) for name, cell in cells}
        self.variables = set(trace.shared.slots)  # that functions share, of calls under way and before
        self.known: dict[Hashable, Any] = {key: slot.get() for key, slot in self.cells.items()}
        #: what the places held before the body's trace, at its head, and at its end
        self.before: dict[Hashable, Any] = {}
        self.heads: dict[Hashable, Any] = {}
        self.after: dict[Hashable, Any] = {}
        self.known |= {key: slot.get() for key, (slot, _) in trace.noted.items()}

    def holds_now(self) -> bool:
        """Does everything but the places still hold what it held?"""
        for key, cell in self.cells.items():
            if key not in self.places and not same_value(cell.get(), self.known[key]):
                return False
        for key, (slot, first) in self.trace.noted.items():
            if key in self.places or self.is_own(slot) or (isinstance(slot, CellSlot) and slot.path is None):
                continue  # the function has no cell of that variable, or it was asked above
            if not same_value(slot.get(), self.known.get(key, first)):
                return False
        return all(
            place.spec == join(place.spec, self.spec(place.slot.get())) for place in self.places.values()
        )

    def is_own(self, slot: Slot) -> bool:
        """Is this a variable that was made inside the function?"""
        return isinstance(slot, CellSlot) and slot.path is None and slot.key not in self.variables

    def spec(self, value: Any) -> Spec:
        return staged_numbers(spec_of(value))

    def learn(self, slot: Slot, *values: Any, written: bool = False) -> None:
        """The place of ``slot`` may hold these values; notes what is new."""
        if self.is_own(slot):
            return
        if isinstance(slot, IteratorPlace):
            raise self.trace.refuse(
                f"a recursive function changes {slot.name}", "keep its values in an array", slot.name
            )
        place = self.places.get(slot.key)
        if place is None:
            place = self.places[slot.key] = Place(slot, self.spec(values[0]), written)
            self.changed = True
        spec = place.spec
        for value in values:
            spec = join(spec, self.spec(value))
        if spec != place.spec or (written and not place.written):
            place.spec, place.written = spec, written or place.written
            self.changed = True

    # -- the body ---------------------------------------------------------------------------------------

    def enter(self, heads: Iterator[Any]) -> None:
        """Give the places the values that a call starts with."""
        self.changed = False
        self.before = {key: place.slot.get() for key, place in self.places.items()}
        for place in self.places.values():
            place.slot.set(next(heads))
        self.heads = {key: place.slot.get() for key, place in self.places.items()}
        self.after = {}

    def leave(self) -> None:
        """Everything gets its value from before the body back."""
        for key, value in self.before.items():
            self.places[key].slot.set(value)


def same_value(a: Any, b: Any) -> bool:
    return a is b or same_constant(a, b)
