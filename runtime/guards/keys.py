"""What makes two keys of dicts, members of frozensets, constants the same one for a trace.

A key is found by its hash and by `==`, but a program can tell more of them apart: 1 from True, 0.0 from -0.0,
two equal objects. Values are the same when their class and text are, objects when they are the very same.

>>> mark(1) == mark(True), mark((0.0, "a")) == mark((-0.0, "a")), mark((1, "a")) == mark((1, "a"))
(False, False, True)

Objects of the standard library that never change: constants of a trace, compared by their values:

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
import enum
import sys
import types
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from runtime.ops.instances import is_user_instance

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


#: classes whose values alone tell them apart
PLAIN = frozenset({str, int, bool, bytes, type(None)})
_IDENTITIES = (
    type,
    enum.Enum,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
)


class Same:
    """An object compared by identity, and kept alive so that its identity stays its own."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def mark(key: Any) -> Hashable:
    """What a key is compared by: equal marks, and no program can tell the keys apart."""
    kind = type(key)
    if kind in PLAIN:
        return kind, key
    if kind in (float, complex) or isinstance(key, np.generic):
        return kind, repr(key)
    if kind is tuple or hasattr(kind, "_make") and not hasattr(key, "__dict__"):
        return kind, tuple(map(mark, key))
    if kind is frozenset:
        return kind, frozenset(map(mark, key))
    if kind in (range, slice):
        return kind, mark(key.start), mark(key.stop), mark(key.step)
    held = mark_of_constant(key)
    if held is not None:
        return held
    return Same(key) if is_known_by_identity(key) else (kind, repr(key), key)


def is_known_by_identity(key: Any) -> bool:
    """Is it an object of the user's, a function, a class? Of others (dates, paths) the value counts."""
    if isinstance(key, tuple) or isinstance(key, _IDENTITIES) or is_user_instance(key):
        return True
    return type(key).__hash__ is object.__hash__


def are_plain(keys: Iterable[Any]) -> bool:
    """Are they of classes whose values alone tell them apart?"""
    return PLAIN.issuperset(map(type, keys))


def text_of_key(key: Any) -> str:
    """A key for people, without its own `__repr__`, which may act."""
    kind = type(key)
    if kind is tuple:
        return f"({', '.join(map(text_of_key, key))}{',' if len(key) == 1 else ''})"
    if kind is frozenset:
        return f"frozenset({{{', '.join(map(text_of_key, key))}}})"
    if isinstance(key, type | types.FunctionType):
        return key.__qualname__
    has_text = kind in PLAIN or kind in (float, complex, range, slice) or mark_of_constant(key) is not None
    return repr(key) if has_text or isinstance(key, np.generic | enum.Enum) else f"a {kind.__name__}"
