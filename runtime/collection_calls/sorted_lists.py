"""``bisect`` by a key or in an array, ``heapq.merge``, in Python: it runs converted, where the user calls."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            hi = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any) -> None:
    a.insert(bisect.bisect_left(a, key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any) -> None:
    a.insert(bisect.bisect_right(a, key(x), lo, hi, key=key), x)


def merge(a: Any, b: Any, key: Any, reverse: Any) -> Any:
    """A list of the items of two: of equal ones those of ``a`` first."""
    merged: list[Any] = []
    i = j = 0
    while i < len(a) and j < len(b):
        x, y = (a[i], b[j]) if key is None else (key(a[i]), key(b[j]))
        if (x < y) if reverse else (y < x):
            merged.append(b[j])
            j = j + 1
        else:
            merged.append(a[i])
            i = i + 1
    return merged + list(a[i:]) + list(b[j:])


#: Python's function -> the same in Python
BY_KEY: dict[Any, Callable[..., Any]] = {
    bisect.bisect_left: bisect_left,
    bisect.bisect_right: bisect_right,
    bisect.insort_left: insort_left,
    bisect.insort_right: insort_right,
}
