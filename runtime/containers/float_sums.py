"""`sum` as Python has it from 3.12 on: of floats, what rounding loses is kept. It runs converted.

As long as the sum is a float, the error of each addition (Knuth's two-sum, which is what CPython's Neumaier
sum computes, too) is added up beside it. It is added at the end, or before something that is no plain number.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

#: does `sum` keep what rounding loses?
COMPENSATED = sys.version_info >= (3, 12)


def added(total: Any, lost: float, item: Any) -> tuple[Any, float]:
    """The sum, and what was lost of it, with one more item."""
    if type(total) is float and type(item) is float:
        whole = total + item
        part = whole - total
        return whole, lost + ((total - (whole - part)) + (item - part))
    if type(total) is float and type(item) not in (int, bool):
        return finished(total, lost) + item, 0.0
    return total + item, lost


def finished(total: Any, lost: float) -> Any:
    """The sum with what was lost, where that is a number."""
    return total + lost if type(total) is float and lost != 0.0 and lost - lost == 0.0 else total


def compensated_sum(items: Iterable[Any], start: Any) -> Any:
    """``sum(items, start)``, where ``start`` is an int or a float.

    >>> compensated_sum([1e16, 1.0, -1e16], 0), 1e16 + 1.0 - 1e16
    (1.0, 0.0)
    """
    total, lost = start, 0.0
    for item in items:
        total, lost = added(total, lost, item)
    return finished(total, lost)
