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
import sys
from collections.abc import Callable, Hashable
from typing import Any

Mark = Callable[[Any], Hashable]


def _without_rules(value: datetime.datetime | datetime.time) -> Hashable:
    """Of a zone with rules of its own, nobody knows whether they change."""
    return repr(value) if value.tzinfo is None or type(value.tzinfo) is datetime.timezone else None


#: by package and class, exactly: what tells two of them apart, as far as a program can; None where one is no
#: constant
_MARKS: dict[tuple[str, str], Mark] = {
    ("fractions", "Fraction"): repr,
    ("decimal", "Decimal"): repr,
    **{("datetime", name): repr for name in ("date", "timedelta", "timezone")},
    **{("datetime", name): _without_rules for name in ("datetime", "time")},
    ("re", "Pattern"): lambda value: (type(value.pattern), value.pattern, value.flags),
    **{("pathlib", f"{kind}{of}Path"): repr for kind in ("Pure", "") for of in ("Posix", "Windows")},
}
#: no method of a metaclass is asked
_home_of: Callable[[type], Any] = type.__dict__["__module__"].__get__
_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__


def mark_of_constant(value: Any) -> Hashable | None:
    """What such an object is compared by; None for any other one."""
    cls = type(value)
    home = _home_of(cls)
    package, name = home.partition(".")[0] if isinstance(home, str) else "", _name_of(cls)
    mark = _MARKS.get((package, name))
    if mark is None or getattr(sys.modules.get(package), name, None) is not cls:
        return None
    held = mark(value)
    return None if held is None else (cls, held)


def is_constant(value: Any) -> bool:
    """Is it an object of the standard library that never changes?"""
    return mark_of_constant(value) is not None
