"""Sets that each run makes again, in the order of the one that the trace made, where a copy has that order.

CPython's order of a set's items depends on their hashes, and on what was there and went.

>>> original = {1, 2, 3} | {50}
>>> list(same_again(original)()) == list(original)
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

AnySet: TypeAlias = set[Any] | frozenset[Any]

#: members whose equals are as good, in every run of this process
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


def same_again(original: AnySet) -> Callable[[], AnySet] | None:
    """A function that makes sets like ``original``. None where an item is no plain value."""
    if not all(isinstance(item, _PLAIN) for item in original):
        return None
    kind: Any = frozenset if isinstance(original, frozenset) else set
    order = list(original)
    return functools.partial(kind, order if list(kind(order)) == order else set(original))
