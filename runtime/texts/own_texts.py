"""The texts that the user's own `__str__`, `__repr__` and `__format__` make.

A run makes them, of the real object: these methods read. One that also changes something (counts its calls,
prints) would do so where no trace sees it, and is refused.
"""

from __future__ import annotations

import collections
import datetime
import types
from collections.abc import Iterable, Iterator
from typing import Any

from autograph.plain_items import plain_items
from runtime.objects.acting import acts, users_function
from runtime.ops.instances import are_atoms, attributes, class_attribute
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import require_trace
from runtime.types import EXCEPTION, ObjectType

#: what a text asks for; a format with `%` for numbers and items, too
_TEXTS = ("__str__", "__repr__", "__format__")
BY_PERCENT = ("__int__", "__index__", "__float__", "__getitem__")
#: classes of Python's whose texts show what the object holds
_SHOW_ATTRIBUTES = (BaseException, types.SimpleNamespace, collections.UserDict, collections.UserList)


def require_reading(value: Any, *also: str) -> None:
    """Refuse a text of which a method of the user's that changes something makes a part."""
    for cls in _classes_in(value, {}):
        for name in (*_TEXTS, *also):
            method = users_function(class_attribute(cls, name))
            if method is not None and acts(method, cls):
                raise refuse(
                    f"`{method.__qualname__}` changes something, and a text asks for it unseen",
                    "make that change in a method of another name, and call it before the text is made",
                )


def _classes_in(value: Any, seen: dict[int, Any]) -> Iterator[type]:
    """The classes of the user's whose methods the text of the value may call."""
    if id(value) in seen or isinstance(value, type):
        return
    seen[id(value)] = value
    trace = require_trace()
    staged = trace.references.staged(value) if trace.references.is_reference(value) else value
    if isinstance(staged, Staged) and isinstance(staged.type, ObjectType):
        is_error = staged.type == EXCEPTION  # whose class, and arguments, only a run knows
        yield from trace.references.classes() if is_error else trace.containers.classes_in(staged.type)
    if has_zone_of_users(value):
        raise refuse(
            "the text of a time asks a time zone of a class of yours, which no trace sees",
            "make that text outside the decorated function",
        )
    if is_instance(value):
        yield type(value)
    for part in _parts(as_plain(value)):
        yield from _classes_in(part, seen)


def _parts(value: Any) -> Iterable[Any]:
    """What the text of the value may show."""
    if isinstance(value, Choice):
        return value.values
    if isinstance(value, dict):
        return [*dict.keys(value), *dict.values(value)]
    if is_instance(value) or isinstance(value, _SHOW_ATTRIBUTES):
        return [*plain_items(value), *attributes(value).values()]
    items = plain_items(value)
    return () if are_atoms(items) else items


def has_zone_of_users(value: Any) -> bool:
    return isinstance(value, datetime.datetime | datetime.time) and is_instance(value.tzinfo)
