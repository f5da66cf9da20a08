"""What stands for a function in a trace: the table that handlers of calls enter themselves into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: what a function does with the arguments of a call in a trace; NotImplemented: Python makes the call
HANDLERS: dict[Any, Callable[..., Any]] = {}


def handles(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register
