"""Functions that an iterator of Python's own calls: those given to `map`, `filter` and their like.

A StopIteration that such a function raises would end the iteration, without a word: refused.
"""

from __future__ import annotations

from typing import Any

from autograph.operators import call
from runtime.iterables.generators import consuming
from runtime.iteration.iterators import refuse_end
from runtime.tracer.trace import Trace, require_trace


class _Calling:
    """The iterator that calls the function, among the generators whose code runs (`Trace.running`)."""

    is_users = False

    def __init__(self, trace: Trace) -> None:
        self.regions = len(trace.regions)


class Called:
    """A function as an iterator is given it, which calls it: it runs converted."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        trace = require_trace()
        with consuming(trace, trace.consuming, (*trace.running, _Calling(trace))):
            try:
                return call(self.function, *args)
            except StopIteration:
                raise refuse_end(trace) from None
