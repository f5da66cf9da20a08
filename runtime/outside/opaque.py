"""Objects from outside whose contents no trace sees: a number in an object, a derived list, an Enum member.

What such an object holds when it is read becomes a guard: when it holds something else, the function is
traced again. One that holds what cannot be compared, such as arrays, is refused.
"""

from __future__ import annotations

import array
import collections
import enum
import os
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.loading import loaded_classes
from autograph.plain_items import plain_items
from runtime.guards.paths import Guard, Names, Path
from runtime.guards.questions import IsThis
from runtime.outside.known import Known, know_keys

_VALUES: tuple[type[Any], ...] = (int, float, complex, str, bytes)
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_CONTAINERS = (list, dict, set, frozenset, collections.deque)  # of classes that are derived from these
#: classes of C whose objects never change, so that the identity of one says what it holds
_NEVER_CHANGE = (
    "datetime.datetime", "datetime.time", "zoneinfo.ZoneInfo", "re.Match", "struct.Struct",
    "operator.attrgetter", "operator.itemgetter", "operator.methodcaller", "functools._lru_cache_wrapper",
)  # fmt: skip
#: what is not compared: its changes would not be seen
_UNSEEN: tuple[type, ...] = (
    BaseException, type(os.environ), threading.local, np.random.BitGenerator, array.array,
    bytearray, memoryview, types.MappingProxyType, weakref.ProxyType, weakref.CallableProxyType, *_VIEWS,
)  # fmt: skip


def guard_contents(outside: Known, value: Any, path: Path) -> None:
    """Guard what ``value`` holds in ways that no trace sees."""
    if issubclass(type(value), _UNSEEN):
        raise outside.trace.refuse(
            f"`{path}` is a {type(value).__name__}, and no change of it would be seen",
            "read it outside the decorated function, and pass what you need of it as an argument",
            str(path),
        )
    if isinstance(value, enum.Enum):
        outside.guards.append(Guard(path, IsThis(value), f"{type(value).__name__}.{value._name_}"))
    elif isinstance(value, _VALUES):
        look: Any = next(kind for kind in _VALUES if isinstance(value, kind)).__repr__
        outside.guards.append(Guard(path, _same(look, look(value)), look(value)))
    elif isinstance(value, _CONTAINERS):
        _guard_items(outside, value, path)


def is_guarded(value: Any) -> bool:
    """Is a value that was found outside guarded with all that it holds?"""
    kinds = (enum.Enum, types.ModuleType, type, *_VALUES, *_CONTAINERS)
    return isinstance(value, kinds) or type(value) in loaded_classes(*_NEVER_CHANGE)


def _guard_items(outside: Known, value: Any, path: Path) -> None:
    kind = type(value).__name__
    try:
        held = contents(value)
    except TypeError as error:
        raise outside.trace.refuse(
            f"`{path}` is a {kind} that holds {error}, and no change of it would be seen",
            "use a plain list or dict",
            str(path),
        ) from None
    outside.guards.append(Guard(path, _same(contents, held), f"a {kind} with the contents it had"))
    if isinstance(value, set):
        know_keys(outside, set(set.__iter__(value)), path)  # what can be called, members of an Enum


def _same(look: Callable[[Any], Any], held: Any) -> Callable[[str, Names], str]:
    return lambda source, names: f"{names.of(look)}({source}) == {names.of(held)}"


def contents(value: Any) -> Any:
    """What a container holds, to be compared; TypeError for what cannot be.

    >>> contents(collections.deque([1, 1.0])) == contents(collections.deque([1, 1]))
    False
    """
    if isinstance(value, dict):
        ordered = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
        return tuple([(_item(key), _item(item)) for key, item in ordered.items(value)])
    items = map(_item, plain_items(value))
    return frozenset(items) if isinstance(value, set | frozenset) else tuple(items)


def _item(item: Any) -> Any:
    kind = type(item)
    if kind in (int, float, complex):
        return kind, repr(item)
    if kind in (bool, str, bytes, type(None)) or isinstance(item, type | enum.Enum):
        return item
    if kind is tuple:
        return tuple(map(_item, item))
    if callable(item) and kind.__hash__ is object.__hash__:
        return item
    raise TypeError(f"a {kind.__name__}")
