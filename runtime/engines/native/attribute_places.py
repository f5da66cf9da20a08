"""Where the instances of a class keep an attribute, found by a look at one of them.

A class with ``__slots__`` keeps it at an offset of the object. Others keep the values of their attributes
beside the object, in an order that is the same for all instances of a class, until somebody asks for the
``__dict__``; where these are differs between versions of Python. What is not found so is left to Python.

>>> class Point:
...     __slots__ = ("x", "y")
>>> place_of(Point, "y").offset - place_of(Point, "x").offset
8
"""

from __future__ import annotations

import ctypes
import functools
import sys
import types
from typing import Any, TypeAlias

from autograph.records import record
from runtime.engines.native.layouts import layout

#: class flags of Python: instances have a managed dict; its values stand in the object itself
_MANAGED_DICT, _VALUES_INSIDE = 1 << 4, 1 << 2
#: before the object: the address of the values, in 3.11, and that of the dict; in 3.12 one word for both: the
#: address of the values less one, which makes it odd, or that of the dict
VALUES_AT, DICT_AT = -32, -24
#: of what stands before the values in an object, in 3.13: how many there is room for, how many are set, and
#: whether they are in use
CAPACITY, COUNT, VALID, HEAD = 0, 1, 3, 8

#: the version of Python by which these differ
KNOWN = sys.version_info[:2]


@record
class Member:
    """At this offset of the object."""

    offset: int


@record
class Beside:
    """The value of this index. ``first``: the offset of the first one, where they stand in the object."""

    index: int
    first: int


Place: TypeAlias = Member | Beside


@functools.lru_cache(maxsize=1024)
def place_of(cls: type, name: str) -> Place | None:
    """Where the instances of exactly this class keep what they hold under the name; None: ask Python."""
    static = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if layout() is None or KNOWN > (3, 13):
        return None
    if type(static) is not types.MemberDescriptorType and hasattr(type(static), "__set__"):
        return None
    mark = object()
    try:
        probe: Any = object.__new__(cls)
        object.__setattr__(probe, name, mark)
    except (TypeError, AttributeError):
        return None
    if type(static) is types.MemberDescriptorType:
        return _member(probe, mark)
    return _beside(probe, mark) if cls.__flags__ & _MANAGED_DICT else None


def can_be_made(cls: type) -> bool:
    """Does ``object.__new__`` make the instances of a class?"""
    try:
        object.__new__(cls)
    except TypeError:  # an abstract class, an exception, a subclass of list
        return False
    return True


def _member(probe: Any, mark: object) -> Member | None:
    for offset in range(object.__basicsize__, type(probe).__basicsize__, 8):
        if _word(id(probe) + offset) == id(mark):
            return Member(offset)
    return None


def _beside(probe: Any, mark: object) -> Beside | None:
    """The first value that was set says itself which one it is: the order of setting is kept with them."""
    first = 0
    if KNOWN == (3, 13):
        if not type(probe).__flags__ & _VALUES_INSIDE:
            return None
        head = id(probe) + type(probe).__basicsize__
        values, first = head + HEAD, type(probe).__basicsize__ + HEAD
        order = values + 8 * _byte(head + CAPACITY)
        known = _byte(head + VALID) and _byte(head + COUNT) == 1
    else:
        values = _word(id(probe) + (VALUES_AT if KNOWN == (3, 11) else DICT_AT))
        if KNOWN == (3, 12):
            values = values + 1 if values & 1 else 0
        order = values - 3
        known = values and _byte(values - 2) == 1
    index = _byte(order) if known else -1
    return Beside(index, first) if known and _word(values + 8 * index) == id(mark) else None


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def _byte(address: int) -> int:
    return ctypes.c_ubyte.from_address(address).value
