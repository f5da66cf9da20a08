"""What a generator function that was turned inside out calls where it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph.registry import active_stage


def give(consumer: Callable[[Any], Any], item: Any) -> Any:
    """Hand an item to the loop that consumes the generator; is it to go on?

    >>> found = []
    >>> give(lambda item: found.append(item) or len(found) < 2, "a")
    True
    """
    return consumer(item)


class Delegated:
    """The items of an iterable, and what its iterator returned at their end."""

    def __init__(self, iterable: Any) -> None:
        self.iterator = iter(iterable)
        self.value: Any = None

    def __iter__(self) -> Iterator[Any]:
        self.value = yield from self.iterator


def delegated(iterable: Any) -> Any:
    """What `yield from iterable` goes through; `returned` tells then what it gave.

    >>> def counting():
    ...     yield 1
    ...     return "done"
    >>> inner = delegated(counting())
    >>> list(inner), returned(inner)
    ([1], 'done')
    """
    stage = active_stage()
    found = NotImplemented if stage is None else stage.delegated(iterable)
    return Delegated(iterable) if found is NotImplemented else found


def returned(iterated: Any) -> Any:
    """The value of `yield from`, after its items."""
    stage = active_stage()
    found = NotImplemented if stage is None else stage.returned(iterated)
    return iterated.value if found is NotImplemented else found
