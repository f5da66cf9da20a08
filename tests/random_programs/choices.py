"""Where a generator's decisions come from: hypothesis (which shrinks them) or a seeded `random.Random`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """Decisions, all made through one function `integer(low, high)`; lower means simpler.

    >>> seeded(1).pick("abc") in "abc"
    True
    """

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.integer = integer

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; put the simplest first."""
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.integer(0, 99) >= 100 - percent


def seeded(seed: int | str) -> Choices:
    """Choices that are the same for the same seed."""
    return Choices(random.Random(seed).randint)
