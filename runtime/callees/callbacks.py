"""Functions that plain Python calls for one of its own: a key, what `map` applies. They run converted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph.operators import call
from runtime.allowed import entry_of
from runtime.iterables.callbacks import Called


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
