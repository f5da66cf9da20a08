"""A third of a product of cases, in which each case still meets each kind of the others.

Tests of "each with each" grow by multiplication and say the same thing many times over. Here each value of a
factor is tried with a third of the values of each other one:

>>> [a + b for a, b in spread("abcd", "xyz")]
['ax', 'bz', 'cy', 'dx']
>>> [a + b for a, b in spread("ab", "xyz")]
['ax', 'az', 'by']
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any


def spread(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Of the product of the factors one in three: those whose places add up to a multiple of three.

    One in two where a factor has only two values, so that every value of every factor is there.
    """
    one_in = min(3, *map(len, factors))
    numbered = itertools.product(*map(enumerate, factors))
    return [tuple(value for _, value in case) for case in numbered if sum(at for at, _ in case) % one_in == 0]
