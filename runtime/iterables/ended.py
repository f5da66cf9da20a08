"""Functions that an iterator of Python's own calls: a StopIteration that they raise is its end.

    list(map(f, [1, 2, 3]))      # [f(1)] where f(2) raises StopIteration

Where Python's own iterator makes the call while it is traced, and the exception is raised on every path that
leads there, it is raised as it is. A generator of ours that stands for such an iterator ends likewise
(`Ended`), for out of its own code Python would make a RuntimeError of it (PEP 479). What only a run raises
would be an exception of the program: refused.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from autograph.operators import call
from runtime.iterables.generators import TracedGenerator, consuming
from runtime.iteration.iterators import refuse_end
from runtime.tracer.builder import current
from runtime.tracer.decisions import Ended
from runtime.tracer.trace import require_trace

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
    """The same, where an iterator whose items are known by their places does so."""
    return _called(False, function, args)


def call_by_generator(function: Any, /, *args: Any) -> Any:
    """The same, where the code of a generator of ours does so."""
    trace: Any = current()
    generator = trace.running[-1] if trace.running else None
    ends = isinstance(generator, TracedGenerator) and generator.frames == tuple(trace.frames)
    try:
        return _called(ends, function, args)
    except StopIteration as stop:
        if not ends:
            raise refuse_end(trace) from None
        raise Ended from stop


class Called:
    """A function as a generator of ours calls it, in the place of an iterator of Python's own.

    ``ahead``: sooner than that one would, so that an end by StopIteration would come too early.
    """

    def __init__(self, function: Any, ahead: bool) -> None:
        self.function = function
        self.ahead = ahead

    def __call__(self, *args: Any) -> Any:
        if not self.ahead:
            return call_by_generator(self.function, *args)
        try:
            return _called(False, self.function, args)
        except StopIteration:
            raise refuse_end(require_trace()) from None


def by_generator(function: Any, ahead: bool = False) -> Any:
    """What a generator of ours calls for a function that Python's own iterator was to call."""
    is_called = type(function) is partial and function.func is call_by_iterator
    return Called(function.args[0], ahead) if is_called else function


def _called(ends: bool, function: Any, args: tuple[Any, ...]) -> Any:
    trace: Any = current()
    with consuming(trace, trace.consuming, (*trace.running, Asking(trace, ends))):  # type: ignore[arg-type]
        return call(function, *args)
