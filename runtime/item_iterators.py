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

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from autograph.operators import and_, if_exp
from autograph.staging import State
from runtime.iteration import Indexed
from runtime.iterators import restart_advancing
from runtime.loops import while_loop
from runtime.trace import Trace


class StagedIterator(Indexed):
    """An iterator over the items of a source; ``kind`` is what Python calls it."""

    def __init__(self, trace: Trace, source: Indexed, kind: str) -> None:
        super().__init__(source.bounds, source.item, source.what, source.over)
        self.trace, self.kind = trace, kind

    def handed_over(self) -> Indexed:
        """What another iterator runs over, which is the only one to advance this one from here on."""
        raise NotImplementedError

    def take(self, *default: Any) -> Any:
        """``next(self, *default)``."""
        raise NotImplementedError

    def __len__(self) -> NoReturn:
        raise TypeError(f"object of type '{self.kind}' has no len()")


class ItemIterator(StagedIterator, Iterator[Any]):
    """One whose place the trace knows; ``bounds`` are those of the items that are left."""

    def __init__(self, trace: Trace, source: Indexed, kind: str, site: Any) -> None:
        super().__init__(trace, source, kind)
        self._site = site
        self._frame = trace.frames[-1] if trace.frames else None
        self._lost = False  # how far it is, only a run knows

    def begun(self, early: bool) -> Indexed:
        self._check()
        rest = Indexed(self.bounds, self.item, self.what, self.over)
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

    def is_here(self) -> bool:
        """Is the block traced that made it?"""
        return (self.trace.frames[-1] if self.trace.frames else None) is self._frame

    def _check(self) -> None:
        if self._lost or not self.is_here():
            restart_advancing(self.trace, self._site)
            raise self._refuse("is advanced where only a run knows how far it is")

    def _refuse(self, words: str) -> Exception:
        return self.trace.refuse(f"{self.what} {words}", "make a new one, or iterate over a list or an array")


class AdvancingIterator(StagedIterator):
    """One whose place only a run knows: the number of items that were taken.

    Of a list that a run knows, the length is asked for each time, as Python's own iterator does.
    """

    def __init__(self, trace: Trace, source: Indexed, kind: str) -> None:
        super().__init__(trace, source.counted(), kind)
        self._place: list[Any] = [0]  # its contents are watched, as those of a list of the user's
        self._handed_over = False

    @property
    def static(self) -> None:
        return None

    def iterate(self, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State) -> None:
        """``for item in self: body(item)`` as long as ``test()``."""

        def there_is_more() -> Any:
            more = self._there() < self._end()
            return more if test is None else and_(more, test)

        while_loop(there_is_more, lambda: body(self._advance(self._place[0])), state)

    def handed_over(self) -> Indexed:
        rest = Indexed((self._there(), self._end(), 1), self._advance, self.what, self.over)
        self._handed_over = True
        return rest

    def take(self, *default: Any) -> Any:
        def none() -> Any:
            if default:
                return default[0]
            raise StopIteration

        place = self._there()
        return if_exp(place >= self._end(), none, lambda: self._advance(place))

    def __iter__(self) -> NoReturn:
        raise self.trace.refuse(
            f"{self.what} is advanced by Python, and only a run knows how far it is",
            "iterate over it with a `for` statement of its own",
        )

    def _end(self) -> Any:
        return self.over[0].length() if self.over else self.bounds[1]

    def _there(self) -> Any:
        if self._handed_over:
            raise self.trace.refuse(
                f"{self.what} is advanced, which another iterator runs over", "use the other one alone"
            )
        return self._place[0]

    def _advance(self, place: Any) -> Any:
        self.trace.write_contents(self._place, self.what, lambda: self._place.__setitem__(0, place + 1))
        return self.item(place)
