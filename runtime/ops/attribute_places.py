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
import weakref
from typing import Any, TypeAlias

from autograph.records import record

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


@functools.cache
def is_known() -> bool:
    """Is it known how this Python keeps attributes?"""
    if sys.implementation.name != "cpython" or KNOWN > (3, 13):
        return False
    if hasattr(sys, "gettotalrefcount") or "free-threading" in sys.version:
        return False
    probe: Any = type("Probe", (), {})()
    probe.b, probe.a = values = ["first", "second"]
    return [value for _, value in _beside_in_order(probe) or ()] == values


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
    order = _beside_in_order(probe)
    if order is None or len(order) != 1 or order[0][1] is not mark:
        return None
    return Beside(order[0][0], first_value(type(probe)))


def _beside_in_order(instance: Any) -> list[tuple[int, Any]] | None:
    """The values beside an object with their indices, as they were set; None where there is a dict instead.

    Which were set, in which order, is noted byte by byte: before the values, backwards, or behind them.
    """
    cls = type(instance)
    if not has_values(cls):
        return None
    if KNOWN == (3, 13):
        head = id(instance) + cls.__basicsize__
        values, valid, count = head + HEAD, _byte(head + VALID), _byte(head + COUNT)
        order, step = values + 8 * _byte(head + CAPACITY), 1
    else:
        valid = values = _word(id(instance) + (VALUES_AT if KNOWN == (3, 11) else DICT_AT))
        if KNOWN == (3, 12):
            valid = values = values + 1 if values & 1 else 0
        count, order, step = _byte(values - 2) if valid else 0, values - 3, -1
    if not valid:
        return None
    indices = [_byte(order + step * k) for k in range(count)]
    return [(index, ctypes.py_object.from_address(values + 8 * index).value) for index in indices]


#: by class: the names of the values beside its instances, by index
_names: weakref.WeakKeyDictionary[type, dict[int, str]] = weakref.WeakKeyDictionary()


def values_beside(instance: Any) -> dict[str, Any] | None:
    """What an object holds beside it, in the order in which it was set; None: its dict is to be asked.

    No dict is made for it, which would make each of its attributes slower from then on: only for the first
    object of a class, to learn the names.

    >>> class Point:
    ...     def __init__(self, x, y):
    ...         self.y, self.x = y, x
    >>> values_beside(Point(1, 2))
    {'y': 2, 'x': 1}
    """
    cls = type(instance)
    order = _beside_in_order(instance) if is_known() and type(cls) is type else None
    if order is None:
        return None
    names = _names.setdefault(cls, {})
    if not all(index in names for index, _ in order):
        held = object.__getattribute__(instance, "__dict__")
        names.update(zip([index for index, _ in order], held, strict=True))
    return {names[index]: value for index, value in order}


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def _byte(address: int) -> int:
    return ctypes.c_ubyte.from_address(address).value
