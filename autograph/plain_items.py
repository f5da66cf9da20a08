"""What Python's containers hold, past the methods that a subclass of them has in place of theirs.

Our own questions about a value ("is a staged one among its items?") are none of the program's: a `__iter__`
of the user's, which may print, is not asked.

>>> class Loud(list):
...     def __iter__(self):
...         print("asked")
...         return super().__iter__()
>>> [item for item in plain_items(Loud([1, 2]))]
[1, 2]
"""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any

_KINDS: tuple[Any, ...] = (list, tuple, set, frozenset, collections.deque, bytearray)


def plain_items(container: Any) -> Iterable[Any]:
    """The items of a list, tuple, set, deque or bytearray, and the values of a dict; none of others."""
    cls = type(container)
    if cls is list or cls is tuple:
        return container
    if isinstance(container, dict):
        return dict.values(container)
    for kind in _KINDS:
        if isinstance(container, kind):
            return kind.__iter__(container)
    return ()
