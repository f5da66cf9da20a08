"""Which loops are unrolled, and which are staged: the one place where that is decided.

A loop whose items a trace knows by number may be traced turn by turn, each time with the number itself, or
once, as a loop of the graph. It is unrolled where its body needs the number (an index into a list of the
trace, a shape, an axis), or where the copies are cheap. What they cost is known after the first turn: if all
turns together (and all copies that loops around make that cannot be staged) would cost more than `MAX_COST`,
the trace begins again with the loop staged. So an inner loop is decided before an outer one: of a nest that
is too large as a whole the outer loops are staged, and the inner ones stay unrolled where they are small.

What cannot be staged is unrolled after all: `Decisions.with_unrolled`, `Decisions.after_refusal`. So is a
loop for which a list would have to become one of the run, because it is read at its number, say, where that
costs no more than `MAX_COST_WITH_LISTS` (`Containers.require`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from autograph.staging import State
from runtime.control_flow.indexed import Collected
from runtime.tracer.decisions import TOO_DEAR, Restart
from runtime.tracer.trace import Trace
from runtime.tracer.trace_size import MAX_COST, Loop, Site, cost_of


def is_unrolled(trace: Trace, site: Site, turns: int, collected: Collected | None) -> bool:
    """Is a loop of so many known turns traced turn by turn, at least to begin with?

    ``collected``: of a comprehension, more turns are as long as they cost nothing.
    """
    if site in trace.decisions.unrolled:
        return True
    may_be_free = collected is not None and collected.may_be_free
    most = trace.max_unrolled if may_be_free else trace.decisions.unroll_limit
    return turns <= most and site not in trace.decisions.staged_loops


class UnrolledLoop(Loop, Iterator[Any]):
    """The items of a loop that is unrolled, each of which begins a turn."""

    def __init__(
        self,
        trace: Trace,
        place: tuple[Site, int],
        turns: int,
        items: Iterator[Any],
        state: State | None,
        most: int = MAX_COST,
    ) -> None:
        """``state`` is what the body may rebind; None: a loop that could not be staged.

        ``most``: what all copies of the body together may cost.
        """
        site, frame = place
        forced = state is None or site in trace.decisions.unrolled
        super().__init__(site, frame, turns, is_unrolled=True, is_forced=forced)
        self.items = items
        self._trace = trace
        self._block, self._begun = trace.block, len(trace.block.operations)
        self._cost = 0
        self._copies = prod(loop.turns for loop in trace.loops if loop.is_forced)
        self._most = most
        trace.loops.begin(self)

    def __next__(self) -> Any:
        return self.take(self.items.__next__)

    def take(self, advance: Callable[[], Any]) -> Any:
        """The next item, as ``advance`` gives it."""
        if self.done:
            self._end_turn()
        try:
            item = advance()
        except StopIteration:
            self.over = True
            raise
        self.done += 1
        return item

    def _end_turn(self) -> None:
        trace = self._trace
        trace.loops.turns[self.site] += 1
        if self.is_forced or trace.block is not self._block:
            return
        operations = trace.block.operations
        self._cost += cost_of(operations[self._begun :])
        self._begun = len(operations)
        whole = self._cost * self.turns * self._copies // self.done
        if whole > self._most and self.done < self.turns:
            reason = f"{self.turns * self._copies} copies of the loop's body would be dear"
            raise Restart(trace.decisions.with_dear(self.site, whole if self._most else TOO_DEAR), reason)


def staged_loop(trace: Trace, place: tuple[Site, int]) -> Loop:
    """The loop at this place (`site_of_loop`), as one that is staged, as long as the caller holds it."""
    site, frame = place
    loop = Loop(site, frame, 1)
    trace.loops.begin(loop)
    return loop
