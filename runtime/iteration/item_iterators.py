"""What `enumerate`, `zip`, `reversed`, `map` and `iter` make of staged arrays and lists: used up once.

How far such an iterator is, the trace knows as long as it is run over as a whole, or advanced by `next`,
in the block that made it. Where only a run knows it (after a loop that may end early, or a `next` under a
condition), the trace begins again: what `iter` or `enumerate` gives at this site is then an
`AdvancingIterator`, whose place is state of the staged statements, as the contents of a list are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from runtime.iteration.indexed import Indexed
from runtime.iteration.iterators import IteratorOfTrace, name_in_messages
from runtime.tracer.trace import Trace


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
