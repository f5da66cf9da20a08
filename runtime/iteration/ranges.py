"""A ``range`` of which only a run knows a bound: what ``range`` has, over staged ints.

A loop over it asks for its bounds (`iteration/indexed.py`); where one leaves the trace or becomes text, the
run makes a real range of them.
"""

from __future__ import annotations

from typing import Any

from runtime.iteration.indexed import Indexed, as_int, is_in_range, itself
from runtime.ops.ranges import PARTS
from runtime.tracer.builder import Staged, emit, refuse
from runtime.types import NumberType, ScalarType


class StagedRange(Indexed):
    """``range(start, stop, step)`` with a staged bound."""

    is_sized = True

    def __init__(self, bounds: tuple[Any, Any, Any]) -> None:
        super().__init__(bounds, itself, "this range")

    @property
    def start(self) -> Any:
        return self.bounds[0]

    @property
    def stop(self) -> Any:
        return self.bounds[1]

    @property
    def step(self) -> Any:
        return self.bounds[2]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in PARTS:
            raise AttributeError("readonly attribute")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name == "__len__":  # by this name only: Python's own `len` could not be given a staged int
            return self.length
        raise AttributeError(f"'range' object has no attribute '{name}'", name=name, obj=self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            given = [part is not None for part in (key.start, key.stop, key.step)]
            cut = [as_int(part) for part in (key.start, key.stop, key.step) if part is not None]
            parts = [
                emit("range.slice", [*self.bounds, *cut], part=part, given=tuple(given)) for part in PARTS
            ]
            return StagedRange((parts[0], parts[1], parts[2]))
        if not hasattr(key, "__index__"):
            raise TypeError(f"range indices must be integers or slices, not {type(key).__name__}")
        return emit("range.getitem", [*self.bounds, as_int(key)])

    def __contains__(self, value: Any) -> Any:
        found = is_in_range(value, self)
        if found is NotImplemented:
            raise refuse("`in` a range, of what is no number", "compare numbers")
        return found

    def index(self, value: Any, /) -> Any:
        return emit("range.index", [*self.bounds, _number(value)])

    def count(self, value: Any, /) -> Any:
        return emit("range.count", [*self.bounds, _number(value)])

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, StagedRange):
            return emit("range.eq", [*self.bounds, *other.bounds])
        if isinstance(other, range):
            return emit("range.eq", [*self.bounds, other.start, other.stop, other.step])
        return NotImplemented

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else emit("py.not", [equal])

    def __hash__(self) -> int:
        raise refuse(
            "a range of which only a run knows a bound is hashed", "use its bounds, in a tuple, in its place"
        )


def _number(value: Any) -> Any:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, Staged) and isinstance(value.type, NumberType | ScalarType):
        return value
    raise refuse("a range is searched for something that is no number", "search for a number")


# What Python says in its errors is the name of the class.
StagedRange.__name__ = "range"
