"""What a generator function that was turned inside out calls where it yields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def give(consumer: Callable[[Any], Any], item: Any) -> Any:
    """Hand an item to the loop that consumes the generator; is it to go on?

    >>> found = []
    >>> give(lambda item: found.append(item) or len(found) < 2, "a")
    True
    """
    return consumer(item)
