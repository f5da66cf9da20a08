"""Calls: a function that calls itself for ever is told why, and so is one that asks what only a run knows.

JAX has no recursion: a function that calls itself under a staged condition is traced into itself without end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType
from typing import Any

from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import paths
from autograph.stages._jax.pushed import PushedGenerator, is_generator_function
from autograph.stages._jax.unknown import SUSPECTS, refusal

_DEEPEST = 60  # calls of one function within each other, under staged conditions
_RECURSIVE = 5  # as many of them are recursion, when Python's stack is full


class _Calls(threading.local):
    def __init__(self) -> None:
        self.under_way: list[tuple[CodeType, bool]] = []


_calls = _Calls()


def watched(function: Any, converted: Callable[..., Any]) -> Callable[..., Any]:
    """A function called by converted code, which ends."""
    code = function.__code__
    if is_generator_function(code):
        return lambda *args, **kwargs: PushedGenerator(function, converted, args, kwargs)

    def call(*args: Any, **kwargs: Any) -> Any:
        depth = sum(1 for other, conditional in _calls.under_way if conditional and other is code)
        if depth > _DEEPEST:
            raise _endless(function)
        _calls.under_way.append((code, paths.inside()))
        try:
            return converted(*args, **kwargs)
        except RecursionError:
            if depth < _RECURSIVE:
                raise
            raise _endless(function) from None
        except SUSPECTS as error:
            refused = refusal(error)
            if refused is None:
                raise
            raise refused from error
        finally:
            _calls.under_way.pop()

    return call


def as_it_is(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of what is not converted."""
    try:
        return function(*args, **kwargs)
    except SUSPECTS as error:
        refused = refusal(error)
        if refused is None:
            raise
        raise refused from error


def _endless(function: Any) -> StagingError:
    return error_at_frame(
        StagingError,
        f"`{function.__name__}` calls itself under a condition that is known only at run time",
        variable=function.__name__,
        hint="write it as a loop: JAX has no recursion",
    )
