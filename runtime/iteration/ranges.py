"""A ``range`` of which only a run knows a bound: what ``range`` has, over staged ints.

A loop over it asks for its bounds (`iteration/indexed.py`); where one leaves the trace or becomes text, the
run makes a real range of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from autograph import operators
from runtime.iteration.indexed import Indexed, as_int, itself
from runtime.ops.ranges import PARTS
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.types import BOOL, NumberType, ScalarType


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

    def __getattr__(self, name: str) -> Any:
        if name == "__len__":  # by this name only: Python's own `len` could not be given a staged int
            return self.length
        if hasattr(range(0), name):
            raise refuse(f"`{name}` of a range of which only a run knows a bound is read", "use its bounds")
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

    def __eq__(self, other: Any) -> Any:
        raise refuse("a range of which only a run knows a bound is compared", "compare its bounds")

    def __hash__(self) -> int:
        raise refuse(
            "a range of which only a run knows a bound is hashed", "use its bounds, in a tuple, in its place"
        )


# What Python says in its errors is the name of the class.
StagedRange.__name__ = "range"


def staged_range(*arguments: Any) -> Indexed:
    """``range`` with a staged bound. Raises TypeError for bounds that are not integers."""
    bounds = slice(*map(as_int, arguments))  # None where there is none
    step = 1 if bounds.step is None else bounds.step
    _check_step(step)
    return StagedRange((0 if len(arguments) == 1 else bounds.start, bounds.stop, step))


class RangeParts(tuple[Any, Any, Any]):
    """The bounds of a staged range that a path leaves in a variable; made a range again afterwards."""

    __slots__ = ()

    @classmethod
    def _make(cls, bounds: Any) -> Indexed:
        return StagedRange(tuple(bounds))


def range_parts(values: Sequence[Any]) -> list[Any]:
    """Values of one variable: ranges by their bounds, in choices and tuples, too, where one is staged."""
    if not any(isinstance(part, Indexed) and part.is_range for part in parts_of_views(values)):
        return list(values)
    return [_by_bounds(value) for value in values]


def parts_of_views(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and what is in their choices and tuples."""
    for value in values:
        made = value
        if isinstance(made, Choice) or type(made) is tuple:
            yield from parts_of_views(made.values if isinstance(made, Choice) else made)
        else:
            yield value


def _by_bounds(value: Any) -> Any:
    if isinstance(value, Indexed) and value.is_range:
        return RangeParts(value.bounds)
    if type(value) is range:
        return RangeParts((value.start, value.stop, value.step))
    if isinstance(value, Choice):
        return value.of(tuple(map(_by_bounds, value.values)))
    return tuple(map(_by_bounds, value)) if type(value) is tuple else value


def _check_step(step: Any) -> None:
    """Raises ValueError where the range is made, in the run if only that knows."""

    def refuse_zero() -> None:
        raise ValueError("range() arg 3 must not be zero")

    if isinstance(step, Staged):
        operators.if_exp(emit("py.eq", [step, 0]), refuse_zero, lambda: None)
    elif step == 0:
        refuse_zero()


def is_in_range(item: Any, places: Any) -> Any:
    """``item in range(...)`` of a number; NotImplemented where each item has to be compared."""
    start, stop, step = places.start, places.stop, places.step
    numbers = isinstance(item, int | float) or isinstance(type_of_staged(item), NumberType | ScalarType)
    if not numbers or type(step) is not int:
        return NotImplemented
    within = (lambda: item < stop) if step > 0 else lambda: item > stop
    begun = item >= start if step > 0 else item <= start
    found = operators.and_(begun, within, lambda: (item - start) % step == 0)
    if not isinstance(found, Staged):
        return bool(found)
    return found if found.type == BOOL else emit("py.bool", [found])  # of an np.float64 it is an np.bool_
