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


@record
class Keyed:
    """In the dict of the object, by its name."""


Place: TypeAlias = Member | Beside | Keyed


@functools.lru_cache(maxsize=1024)
def place_of(cls: type, name: str) -> Place | None:
    """Where the instances of exactly this class keep what they hold under the name; None: ask Python."""
    if not is_known() or hasattr(cls, "__del__"):  # which would see the one that is tried
        return None
    static = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
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
    return _beside(probe, mark) or Keyed() if has_dict(cls) else None


def is_known() -> bool:
    """Is it known how this version of Python keeps attributes?"""
    return layout() is not None and KNOWN <= (3, 13)


def has_dict(cls: type) -> bool:
    """May the instances of a class have attributes that are in no slot?"""
    return bool(cls.__flags__ & _MANAGED_DICT)


def has_values(cls: type) -> bool:
    """Do they keep these beside them, until somebody asks for the dict?"""
    return has_dict(cls) and (KNOWN < (3, 13) or bool(cls.__flags__ & _VALUES_INSIDE))


def first_value(cls: type) -> int:
    """The offset of the values that stand in the instances of a class; 0 where they do not."""
    return cls.__basicsize__ + HEAD if KNOWN == (3, 13) else 0


def can_be_made(cls: type) -> bool:
    """Does ``object.__new__`` make the instances of a class?"""
    if hasattr(cls, "__del__"):
        return False
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
    if not has_values(type(probe)):
        return None
    if KNOWN == (3, 13):
        head = id(probe) + type(probe).__basicsize__
        values = head + HEAD
        order = values + 8 * _byte(head + CAPACITY)
        known = _byte(head + VALID) and _byte(head + COUNT) == 1
    else:
        values = _word(id(probe) + (VALUES_AT if KNOWN == (3, 11) else DICT_AT))
        if KNOWN == (3, 12):
            values = values + 1 if values & 1 else 0
        order = values - 3
        known = values and _byte(values - 2) == 1
    index = _byte(order) if known else -1
    found = known and _word(values + 8 * index) == id(mark)
    return Beside(index, first_value(type(probe))) if found else None


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def _byte(address: int) -> int:
    return ctypes.c_ubyte.from_address(address).value
