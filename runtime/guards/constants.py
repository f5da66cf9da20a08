"""Objects of the standard library that never change: constants of a trace, compared by their values.

    Fraction(3, 2)    Decimal("0.10")    date(2024, 2, 29)    UUID(int=7)    Path("a/b")    re.compile("a+")

They come in as texts do: what they are is part of the signature of a call, or a guard. Their classes are not
watched, so that their own code runs as it is.

>>> mark_of_constant(decimal.Decimal("1.0")) == mark_of_constant(decimal.Decimal("1.00"))
False
>>> mark_of_constant([1]) is None
True
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import ipaddress
import pathlib
import re
import uuid
import zoneinfo
from collections.abc import Callable, Hashable
from typing import Any

_ADDRESSES = (
    ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network,
    ipaddress.IPv4Interface, ipaddress.IPv6Interface,
)  # fmt: skip
_PATHS = (
    pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath,
)  # fmt: skip


def _of_zoned(value: datetime.datetime | datetime.time) -> Hashable:
    """Of a zone of the user's own, nobody knows whether it changes."""
    zone = value.tzinfo
    known = zone is None or type(zone) is datetime.timezone or type(zone) is zoneinfo.ZoneInfo
    return (repr(value), id(zone) if type(zone) is zoneinfo.ZoneInfo else None) if known else None


#: by class, exactly: what tells two of them apart, as far as a program can; None where one is no constant
_MARKS: dict[type, Callable[[Any], Hashable]] = {
    fractions.Fraction: repr,
    decimal.Decimal: repr,
    datetime.date: repr,
    datetime.timedelta: repr,
    datetime.timezone: repr,
    datetime.datetime: _of_zoned,
    datetime.time: _of_zoned,
    uuid.UUID: lambda value: (value.int, value.is_safe),
    re.Pattern: lambda value: (type(value.pattern), value.pattern, value.flags),
    **dict.fromkeys(_PATHS, repr),
    **dict.fromkeys(_ADDRESSES, repr),
}
#: what they ask the world for: the time zone of the computer, its language
_OF_THE_WORLD = frozenset({"today", "now", "utcnow", "fromtimestamp", "timestamp", "astimezone", "strftime",
                           "strptime"})  # fmt: skip


def mark_of_constant(value: Any) -> Hashable | None:
    """What such an object is compared by; None for any other one."""
    mark = _MARKS.get(type(value))
    held = None if mark is None else mark(value)
    return None if held is None else (type(value), held)


def is_constant(value: Any) -> bool:
    """Is it an object of the standard library that never changes?"""
    return mark_of_constant(value) is not None


def is_class_of_constants(cls: type) -> bool:
    return cls in _MARKS


def only_computes(function: Any, owner: Any) -> bool:
    """Is it a method of such an object, or of its class, that asks nothing of the world?"""
    cls = owner if isinstance(owner, type) else type(owner)
    name = getattr(function, "__name__", "")
    if cls not in _MARKS or name in _OF_THE_WORLD:
        return False
    if cls not in _PATHS:
        return True
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    held = next((vars(base)[name] for base in pathlib.PurePath.__mro__ if name in vars(base)), None)
    return found is held  # other methods look at files
