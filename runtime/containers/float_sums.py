"""`sum` as Python has it from 3.12 on: of floats, what rounding loses is kept. It runs converted.

As long as the sum is a float, the error of each addition (Knuth's two-sum, which is what CPython's Neumaier
sum computes, too) is added up beside it. It is added at the end, or before something that is no plain number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def compensated_sum(items: Iterable[Any], start: Any) -> Any:
    """``sum(items, start)``, where ``start`` is an int or a float.

    >>> compensated_sum([1e16, 1.0, -1e16], 0), 1e16 + 1.0 - 1e16
    (1.0, 0.0)
    """
    total, lost = start, 0.0
    for item in items:
        if type(total) is float and type(item) is float:
            whole = total + item
            part = whole - total
            lost = lost + ((total - (whole - part)) + (item - part))
            total = whole
        elif type(total) is float and type(item) not in (int, bool):
            if lost != 0.0 and lost - lost == 0.0:
                total = total + lost
            lost = 0.0
            total = total + item
        else:
            total = total + item
    if type(total) is float and lost != 0.0 and lost - lost == 0.0:
        total = total + lost
    return total
