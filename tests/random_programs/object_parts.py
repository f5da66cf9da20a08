"""What random programs about objects are made of: each part has definitions, names, statements and values.

In a text, ``$v`` stands for a number, ``$t`` for a test, ``$i`` for a small int, and ``$o`` for one of
the part's own names.
"""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """``opening`` are lines at the start of `f`, ``names`` what `$o` may be, ``shown`` what `f` returns."""

    head: str
    opening: tuple[str, ...]
    names: tuple[str, ...]
    statements: tuple[str, ...]
    values: tuple[str, ...]
    tests: tuple[str, ...]
    shown: tuple[str, ...]
