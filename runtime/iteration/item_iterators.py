"""What `enumerate`, `zip`, `reversed`, `map` and `iter` make of staged arrays and lists: used up once.

    pairs = enumerate(x)
    for i, v in pairs:
        if v > limit:
            break
    for i, v in pairs:      # goes on where the other loop ended
        ...

How far such an iterator is, the trace knows as long as it is run over as a whole, or advanced by `next`,
in the block that made it. Where only a run knows it (a loop that may end early, a `next` under a
condition), the trace begins again: the iterator of this site is then an `AdvancingIterator`, whose place
is state of the staged statements, as the contents of a list are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from runtime.iteration.indexed import Indexed
from runtime.iteration.iterators import (
    name_in_messages,
    name_like,
    refuse_asked,
    refuse_attribute,
    restart_advancing,
)
from runtime.tracer.trace import Trace


class StagedIterator(Indexed):
    """An iterator over the items of a source, made by the function named ``kind``."""

    def __init__(self, trace: Trace, source: Indexed, kind: str, python_class: type) -> None:
        super().__init__(source.bounds, source.item, source.what, source.over, source.known)
        self.trace, self.kind, self.python_class = trace, kind, python_class
        name_like(self, python_class)

    @property
    def name(self) -> str:
        return name_in_messages(self.python_class)

    def __repr__(self) -> str:
        raise refuse_asked(self.trace, self.python_class, "text")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise refuse_asked(self.trace, self.python_class, "copy")

    def __getattr__(self, name: str) -> Any:
        raise refuse_attribute(self.trace, self.python_class, name)

    def handed_over(self) -> Indexed:
        """What another iterator runs over, which is the only one to advance this one from here on."""
        raise NotImplementedError

    def take(self, *default: Any) -> Any:
        """``next(self, *default)``."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> NoReturn:
        raise TypeError(f"object of type '{self.name}' has no len()")


class ItemIterator(StagedIterator, Iterator[Any]):
    """One whose place the trace knows; ``bounds`` are those of the items that are left."""

    def __init__(self, trace: Trace, source: Indexed, kind: str, python_class: type, site: Any) -> None:
        super().__init__(trace, source, kind, python_class)
        self._site = site
        self._frame = trace.frames[-1] if trace.frames else None
        self._lost = False  # how far it is, only a run knows

    def begun(self, early: bool) -> Indexed:
        self._check()
        rest = self.like(self.bounds, self.item)
        self._lost = early
        start, _, step = self.bounds
        self.bounds = (start, start, step)
        return rest

    def handed_over(self) -> Indexed:
        return self.begun(early=True)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._check()
        return self.advanced()

    def advanced(self) -> Any:
        """The next item, wherever this is asked: for a loop whose turns have conditions each."""
        if self.static is None:
            restart_advancing(self.trace, self._site)
            raise self._refuse("has a length that is only known at run time, and is advanced by Python")
        if not self.static:
            raise StopIteration
        place = self.static[0]
        self.bounds = (place + self.bounds[2], *self.bounds[1:])
        return self.item(place)

    def take(self, *default: Any) -> Any:
        return next(self, *default)

    def spend(self) -> None:
        """How far it was advanced is known only at run time."""
        self._lost = True

    def may_advance_anywhere(self) -> None:
        """Begin again, where that was not tried, with one whose place a run knows."""
        restart_advancing(self.trace, self._site)

    def is_here(self) -> bool:
        """Is the block traced that made it?"""
        return (self.trace.frames[-1] if self.trace.frames else None) is self._frame

    def _check(self) -> None:
        if self._lost or not self.is_here():
            restart_advancing(self.trace, self._site)
            raise self._refuse("is advanced where only a run knows how far it is")
        if self.is_resized():
            restart_advancing(self.trace, self._site)
            raise self.trace.refuse(
                f"what {self.what} runs over has changed its length since", "make it where it is used"
            )

    def _refuse(self, words: str) -> Exception:
        return self.trace.refuse(f"{self.what} {words}", "make a new one, or iterate over a list or an array")
