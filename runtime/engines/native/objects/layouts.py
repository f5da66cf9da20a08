"""Where CPython keeps what is in an object, as machine code reads it without a call.

A table by version, held against real objects when it is first asked for. Where it does not fit (a build
without the GIL, a debug build, a version to come) machine code calls Python's C API instead.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

from autograph.records import record

#: where every object has its class, and floats and NumPy's scalars their value
CLASS, VALUE = 8, 16
#: the length of a list, a tuple or, before Python 3.12, an int (negative where the int is)
SIZE = 16
#: of a list: the address of its items, and how many there is room for
LIST_ITEMS, LIST_ROOM = 24, 32
#: the digits of an int, of 30 bits each; from 3.12 on a tag at 16: how many there are * 8, + 1 for zero, + 2
#: where the int is negative
DIGITS, TAG = 24, 16


@record
class Layout:
    """What differs from version to version."""

    tagged_ints: bool
    immortals: bool  # objects whose count of references stays as it is, and is negative as an i32
    tuple_items: int = 24


@functools.cache
def layout() -> Layout | None:
    """The layout of this Python's objects; None where it is not known."""
    if hasattr(sys, "gettotalrefcount") or "free-threading" in sys.version:
        return None
    newer = sys.version_info >= (3, 12)
    known = Layout(newer, newer, 32 if sys.version_info >= (3, 14) else 24)
    return known if sys.implementation.name == "cpython" and _fits(known) else None


def _word(item: Any, offset: int) -> int:
    return ctypes.c_int64.from_address(id(item) + offset).value


def _fits(known: Layout) -> bool:
    items = [1.5, "text", 3]
    row = tuple(items)
    addresses = [id(item) for item in items]
    first = _word(items, LIST_ITEMS)
    return (
        all(_word(item, CLASS) == id(type(item)) for item in (1.5, 3, items, row))
        and ctypes.c_double.from_address(id(items[0]) + VALUE).value == 1.5
        and (_word(items, SIZE), _word(row, SIZE)) == (3, 3)
        and _word(items, LIST_ROOM) >= 3
        and [ctypes.c_int64.from_address(first + 8 * k).value for k in range(3)] == addresses
        and [_word(row, known.tuple_items + 8 * k) for k in range(3)] == addresses
        and all(_int_fits(known, number) for number in (0, 1, -1, 1000, -(2**30) + 1, 2**30 - 1))
        and _counts_fit(known)
    )


def _int_fits(known: Layout, number: int) -> bool:
    digit = ctypes.c_uint32.from_address(id(number) + DIGITS).value
    if not known.tagged_ints:
        return _word(number, SIZE) * digit == number and abs(_word(number, SIZE)) <= 1
    tag = _word(number, TAG)
    return 0 <= tag < 16 and (1 - (tag & 3)) * digit == number


def _counts_fit(known: Layout) -> bool:
    held = [1.5, object()][1]
    before = _word(held, 0)
    again = [held, held]
    grown = _word(again[0], 0) - before
    is_immortal = ctypes.c_int32.from_address(id(None)).value < 0
    return grown == 2 and is_immortal == known.immortals
