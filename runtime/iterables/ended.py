"""Functions that an iterator of Python's own calls: a StopIteration that they raise is its end.

    list(map(f, [1, 2, 3]))      # [f(1)] where f(2) raises StopIteration

Where Python's own iterator makes the call while it is traced, and the exception is raised on every path that
leads there, it is raised as it is. What only a run raises would be an exception of the program: refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.operators import call
from runtime.iterables.generators import consuming
from runtime.tracer.builder import current

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class Asking:
    """The iterator that calls the function, among the generators whose code runs (`Trace.running`)."""

    is_users = False
    is_delegated = True  # no variable holds it

    def __init__(self, trace: Trace, ends: bool) -> None:
        self.regions = len(trace.regions)
        self._frames = tuple(trace.frames) if ends else None

    def ends_here(self, trace: Trace) -> bool:
        """Does Python's own code hear of what is raised here, on each path?"""
        return self._frames is not None and self._frames == tuple(trace.frames)


def call_by_iterator(function: Any, /, *args: Any) -> Any:
    """``function(*args)``, converted, where Python's own iterator calls it."""
    return _called(True, function, args)


def call_for_iterator(function: Any, /, *args: Any) -> Any:
    """The same, where code of ours does so in its place."""
    return _called(False, function, args)


def _called(ends: bool, function: Any, args: tuple[Any, ...]) -> Any:
    trace: Any = current()
    with consuming(trace, trace.consuming, (*trace.running, Asking(trace, ends))):  # type: ignore[arg-type]
        return call(function, *args)
