"""Functions that an iterator of Python's own calls: those given to `map`, `filter` and their like.

A StopIteration that such a function raises would end the iteration, without a word: refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph.operators import call
from runtime.allowed import entry_of
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


def with_callbacks(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, where what plain Python calls among them runs converted. Items stay what they are."""
    entry = entry_of(function)
    if entry is None or not entry.calls or (function is iter and len(args) != 2):
        return args, kwargs
    at_once = entry.calls == ("key",) or function is functools.reduce  # no iterator calls it later
    by: Callable[[Any], Any] = functools.partial(functools.partial, call) if at_once else Called
    for place in entry.calls:
        if isinstance(place, int) and place < len(args) and callable(args[place]):
            args = (*args[:place], by(args[place]), *args[place + 1 :])
        elif place in kwargs and callable(kwargs[place]):
            kwargs = {**kwargs, place: by(kwargs[place])}
    return args, kwargs
