"""What stands for a function in a trace: the table that handlers of calls enter themselves into."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.loading import loaded
from runtime.tracer.trace import Trace

Handler = Callable[..., Any]
#: what a function does with the arguments of a call in a trace; NotImplemented: Python makes the call
HANDLERS: dict[Any, Handler] = {}


def handles(*functions: Any) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register


def handler_there(function: Any) -> Callable[..., Any]:
    """The handler that another one is put around: those of the builtins are entered first."""
    if function not in HANDLERS:
        loaded("runtime.calls.builtin_calls")
    return HANDLERS[function]


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
