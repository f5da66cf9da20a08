"""Objects of the standard library that never change: constants of a trace, compared by their values.

    Fraction(3, 2)    Decimal("0.10")    date(2024, 2, 29)    Path("a/b")    re.compile("a+")

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

_PATHS = ("PurePosixPath", "PureWindowsPath", "PosixPath", "WindowsPath")


def _without_rules(value: datetime.datetime | datetime.time) -> Hashable:
    """Of a zone with rules of its own, nobody knows whether they change."""
    return repr(value) if value.tzinfo is None or type(value.tzinfo) is datetime.timezone else None


Mark = Callable[[Any], Hashable]

#: by module and class, exactly: what tells two of them apart, as far as a program can; None where one is no
#: constant. The modules are the program's to load.
_MARKS: dict[str, dict[str, Mark]] = {
    "fractions": {"Fraction": repr},
    "decimal": {"Decimal": repr},
    "datetime": {
        **dict.fromkeys(("date", "timedelta", "timezone"), repr),
        **dict.fromkeys(("datetime", "time"), _without_rules),
    },
    "re": {"Pattern": lambda value: (type(value.pattern), value.pattern, value.flags)},
    "pathlib": dict.fromkeys(_PATHS, repr),
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
