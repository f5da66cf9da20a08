"""A ``range`` of which only a run knows a bound: what ``range`` has, over staged ints.

A loop over it asks for its bounds (`iteration/indexed.py`); where one leaves the trace or becomes text, the
run makes a real range of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from autograph import operators
from runtime.iteration.indexed import Indexed, as_int, itself
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.types import BOOL, NumberType, ScalarType


class StagedRange(Indexed):
    """``range(start, stop, step)`` with a staged bound."""

    is_sized = True

    def __init__(self, bounds: tuple[Any, Any, Any]) -> None:
        super().__init__(bounds, itself, "this range")

    start = property(lambda self: self.bounds[0])
    stop = property(lambda self: self.bounds[1])
    step = property(lambda self: self.bounds[2])

    def __getattr__(self, name: str) -> Any:
        if name == "__len__":  # by this name only: Python's own `len` could not be given a staged int
            return self.length
        if hasattr(range(0), name):
            raise _refuse(f"`{name}` is read")
        raise AttributeError(f"'range' object has no attribute '{name}'", name=name, obj=self)

    def __getitem__(self, key: Any) -> NoReturn:
        raise _refuse("an item or a slice is read")

    def __eq__(self, other: Any) -> NoReturn:
        raise _refuse("a comparison is made")

    def __hash__(self) -> NoReturn:
        raise _refuse("the hash is asked for")


def _refuse(found: str) -> Exception:
    return refuse(f"{found} of a range of which only a run knows a bound", "use its bounds, start and stop")


# What Python says in its errors is the name of the class.
StagedRange.__name__ = "range"


def staged_range(*arguments: Any) -> Indexed:
    """``range`` with a staged bound. Raises TypeError for bounds that are not integers.

    That the step is 0 raises ValueError here, too; in the run if only that knows it.
    """

    def refuse_zero() -> None:
        raise ValueError("range() arg 3 must not be zero")

    bounds = slice(*map(as_int, arguments))  # None where there is none
    step = 1 if bounds.step is None else bounds.step
    if isinstance(step, Staged):
        operators.if_exp(emit("py.eq", [step, 0]), refuse_zero, lambda: None)
    elif step == 0:
        refuse_zero()
    return StagedRange((0 if len(arguments) == 1 else bounds.start, bounds.stop, step))


def parts_of_views(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and what is in their choices and tuples."""
    for value in values:
        parts = value.values if isinstance(value, Choice) else value
        if type(parts) is tuple:
            yield from parts_of_views(parts)
        else:
            yield value


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
