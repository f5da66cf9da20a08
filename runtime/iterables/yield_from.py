"""``yield from``: what it goes through, and what it gives."""

from __future__ import annotations

from typing import Any

from runtime.iterables.generators import TracedGenerator
from runtime.iterables.user_iterables import iterated
from runtime.iteration.indexed import indexed
from runtime.tracer.trace import Trace, require_trace


def delegated(iterable: Any) -> Any:
    """What a `yield from` goes through in a generator that is closed."""
    iterable = iterated(require_trace(), iterable)
    if isinstance(iterable, TracedGenerator):
        iterable.is_delegated = True
    return iterable


def returned(trace: Trace, items: Any) -> Any:
    """What the iterator returned at its end."""
    if isinstance(items, TracedGenerator):
        return items.value
    if isinstance(items, list | tuple | dict | str | set | frozenset | bytes) or indexed(items) is not None:
        return None
    raise trace.refuse(
        f"the value of a `yield from` over a {type(items).__name__} is used",
        "delegate to a generator function",
    )
