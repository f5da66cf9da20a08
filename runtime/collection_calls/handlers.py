"""One handler for several functions of a kind; what is refused by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from runtime.tracer.call_handlers import HANDLERS
from runtime.tracer.trace import Trace

Handler = Callable[..., Any]


def handles_each(*functions: Any) -> Callable[[Handler], Handler]:
    """Enters a handler that gets the function that is called, before the trace."""

    def register(handler: Handler) -> Handler:
        for function in functions:
            HANDLERS[function] = partial(handler, function)
        return handler

    return register


def refused(hint: str, *functions: Any) -> None:
    """Calls of these are refused, by their names."""

    @handles_each(*functions)
    def refuse(function: Any, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
        words = f"`{function.__module__.strip('_')}.{function.__name__}` is not staged"
        raise trace.refuse(words, hint)
