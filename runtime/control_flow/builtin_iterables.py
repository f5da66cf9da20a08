"""What builtins make of staged values to loop over: `range`, `enumerate`, `zip`, `reversed`, `map`, `iter`.

A ``range`` of which only a run knows a bound has what ``range`` has, over staged ints. A loop over
it asks for its bounds (`control_flow/indexed.py`); where one leaves the trace or becomes text, the
run makes a real range of them.

All others are used up once. How far such an iterator is, the trace knows as long as it is run over
as a whole, or advanced by `next`, in the block that made it. Where only a run knows it (after a
loop that may end early, or a `next` under a condition), the trace begins again: what `iter` or
`enumerate` gives at this site is then an `AdvancingIterator`, whose place is state of the staged
statements, as the contents of a list are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from autograph import operators
from runtime.control_flow.indexed import Indexed, as_int, itself
from runtime.control_flow.iterators import IteratorOfTrace, name_in_messages
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import BOOL, NumberType, ScalarType


class StagedIterator(IteratorOfTrace, Indexed):
    """An iterator over the items of a source."""

    #: what another iterator runs over, which is the only one to advance this one from here on
    handed_over: Callable[[], Indexed]
    #: ``next(self, *default)``
    take: Callable[..., Any]

    def __init__(self, trace: Trace, source: Indexed, kind: type, site: Any = None) -> None:
        Indexed.__init__(self, source.bounds, source.item, source.what, source.over, source.known)
        self._begin(trace, kind, site)

    @property
    def name(self) -> str:
        return name_in_messages(self._kind)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> NoReturn:
        raise TypeError(f"object of type '{self.name}' has no len()")


class ItemIterator(StagedIterator, Iterator[Any]):
    """One whose place the trace knows; ``bounds`` are those of the items that are left."""

    def begun(self, early: bool) -> Indexed:
        self._check()
        rest = self.like(self.bounds, self.item)
        self._spent = early
        start, _, step = self.bounds
        self.bounds = (start, start, step)
        return rest

    def handed_over(self) -> Indexed:
        return self.begun(early=True)

    def __next__(self) -> Any:
        self._check()
        return self.advanced()

    def advanced(self) -> Any:
        """The next item, wherever this is asked: for a loop whose turns have conditions each."""
        if self.static is None:
            self.may_advance_anywhere()
            raise self._trace.refuse(
                f"{self.what} has a length that is only known at run time, and is advanced by Python",
                "make a new one, or iterate over a list or an array",
            )
        if not self.static:
            raise StopIteration
        place = self.static[0]
        self.bounds = (place + self.bounds[2], *self.bounds[1:])
        return self.item(place)

    def take(self, *default: Any) -> Any:
        return next(self, *default)

    def _check(self) -> None:
        super()._check()
        if self.is_resized():
            self.may_advance_anywhere()
            raise self._trace.refuse(
                f"what {self.what} runs over has changed its length since", "make it where it is used"
            )


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


def parallel_range(*arguments: Any) -> Indexed:
    """``rt.prange``: a range whose loop is staged, and checked."""
    made = staged_range(*arguments)
    object.__setattr__(made, "is_parallel", True)
    return made


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
