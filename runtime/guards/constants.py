"""Objects of the standard library that never change: constants of a trace, compared by their values.

    Fraction(3, 2)    Decimal("0.10")    date(2024, 2, 29)    UUID(int=7)    Path("a/b")    re.compile("a+")

They come in as texts do: what they are is part of the signature of a call, or a guard. Their classes are not
watched, so that their own code runs as it is.

>>> import decimal
>>> mark_of_constant(decimal.Decimal("1.0")) == mark_of_constant(decimal.Decimal("1.00"))
False
>>> mark_of_constant([1]) is None
True
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable
from importlib import import_module
from typing import Any

from autograph.loading import loaded_classes

_PATHS = ("PurePosixPath", "PureWindowsPath", "PosixPath", "WindowsPath")


def _of_zoned(value: datetime.datetime | datetime.time) -> Hashable:
    """Of a zone of the user's own, nobody knows whether it changes."""
    zone = value.tzinfo
    named = type(zone) in loaded_classes("zoneinfo.ZoneInfo")
    known = zone is None or type(zone) is datetime.timezone or named
    return (repr(value), id(zone) if named else None) if known else None


Mark = Callable[[Any], Hashable]

#: by module and class, exactly: what tells two of them apart, as far as a program can; None where one is no
#: constant. The modules are the program's to load.
_MARKS: dict[str, dict[str, Mark]] = {
    "fractions": {"Fraction": repr},
    "decimal": {"Decimal": repr},
    "datetime": {
        **dict.fromkeys(("date", "timedelta", "timezone"), repr),
        **dict.fromkeys(("datetime", "time"), _of_zoned),
    },
    "uuid": {"UUID": lambda value: (value.int, value.is_safe)},
    "re": {"Pattern": lambda value: (type(value.pattern), value.pattern, value.flags)},
    "pathlib": dict.fromkeys(_PATHS, repr),
    "ipaddress": {
        f"IPv{version}{kind}": repr for version in (4, 6) for kind in ("Address", "Network", "Interface")
    },
}
_by_class: dict[str, dict[type, Mark]] = {}
_home_of: Callable[[type], Any] = type.__dict__["__module__"].__get__  # no method of a metaclass is asked


def _mark_of(cls: type) -> Mark | None:
    home = _home_of(cls)
    home = home.partition(".")[0] if isinstance(home, str) else ""
    if home not in _MARKS:
        return None
    if home not in _by_class:
        module = import_module(home)
        _by_class[home] = {getattr(module, name): mark for name, mark in _MARKS[home].items()}
    return _by_class[home].get(cls)


def mark_of_constant(value: Any) -> Hashable | None:
    """What such an object is compared by; None for any other one."""
    mark = _mark_of(type(value))
    held = None if mark is None else mark(value)
    return None if held is None else (type(value), held)


def is_constant(value: Any) -> bool:
    """Is it an object of the standard library that never changes?"""
    return mark_of_constant(value) is not None
