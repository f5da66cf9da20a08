"""Iterators whose place only a run knows: advanced under a condition, or by a loop that may end early.

    names = iter(["a", "b", "c"])
    for v in x:
        if v > 0:
            taken.append(next(names))

The place is state of the staged statements around.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from autograph.operators import and_, if_exp
from autograph.staging import State
from runtime.control_flow.branches import branch
from runtime.control_flow.builtin_iterables import StagedIterator
from runtime.control_flow.indexed import Indexed
from runtime.control_flow.loops import while_loop
from runtime.tracer.static_places import IteratorPlace
from runtime.tracer.trace import Trace

#: the place of an iterator over a list that came to its end: it gives nothing more when the list grows
USED_UP = sys.maxsize


class AdvancingIterator(StagedIterator):
    """One whose place is the number of items that were taken.

    What ``follows`` a list asks it for its length each time, as Python's own iterator of a list does. Other
    lists must keep their lengths.
    """

    def __init__(self, trace: Trace, source: Indexed, kind: type, follows: bool) -> None:
        super().__init__(trace, source.counted(), kind)
        self._place = IteratorPlace(self.what)
        trace.heap.origins.meet(self._place)
        self._handed_over = False
        self._list = next(iter((*self.over, *self.known)), None) if follows else None
        self._lengths = self._known_lengths()

    @property
    def static(self) -> None:
        return None

    def iterate(self, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State) -> None:
        """``for item in self: body(item)`` as long as ``test()``."""

        def there_is_more() -> Any:
            more = self._there() < self._end()
            return more if test is None else and_(more, test)

        while_loop(there_is_more, lambda: body(self._advance(self._trace.heap.held(self._place))), state)
        if self._list is not None:
            ended = self._there() >= self._end()
            ended = ended if test is None else and_(ended, test)
            branch(ended, lambda: self._go_to(USED_UP), lambda: None)

    def handed_over(self) -> Indexed:
        there, end = self._there(), self._end()
        self._handed_over = True
        return self.like((there, end, 1), self._advance)

    def take(self, *default: Any) -> Any:
        def none() -> Any:
            if self._list is not None:
                self._go_to(USED_UP)
            if default:
                return default[0]
            raise StopIteration

        place = self._there()
        return if_exp(place < self._end(), lambda: self._advance(place), none)

    def __iter__(self) -> NoReturn:
        raise self._trace.refuse(
            f"{self.what} is advanced by Python, and only a run knows how far it is",
            "iterate over it with a `for` statement of its own",
        )

    def _end(self) -> Any:
        if self._list is not None:
            return self._list.length()
        if self._known_lengths() != self._lengths:
            raise self._trace.refuse(
                f"what {self.what} runs over has changed its length since", "make it where it is used"
            )
        return self.bounds[1]

    def _known_lengths(self) -> list[int | None]:
        return [self._trace.heap.length(container.value) for container in self.known]

    def _there(self) -> Any:
        if self._handed_over:
            raise self._trace.refuse(
                f"{self.what} is advanced, which another iterator runs over", "use the other one alone"
            )
        return self._trace.heap.held(self._place)

    def _advance(self, place: Any) -> Any:
        self._go_to(place + 1)
        return self.item(place)

    def _go_to(self, place: Any) -> None:
        self._trace.write(self._place, place)
