"""Instances of the user's classes that a trace makes: their attributes, and how a run makes them again.

>>> class Point:
...     __slots__ = ("x", "y")
>>> point = remake(Point, {"x": 1, "y": 2})
>>> attributes(point)
{'x': 1, 'y': 2}
"""

from __future__ import annotations

import enum
import sys
import types
from typing import Any

HEAP_TYPE = 1 << 9


def can_be_remade(cls: type) -> bool:
    """Is an instance of this class its attributes, and nothing else?

    Subclasses of list or ndarray hold more; a class with ``__del__`` sees how often it is made.
    """
    if issubclass(cls, enum.Enum | BaseException | type) or hasattr(cls, "__del__"):
        return False
    return all(base is object or base.__flags__ & HEAP_TYPE for base in cls.__mro__)


def is_user_instance(value: Any) -> bool:
    """An object whose class was written in Python, outside the standard library."""
    cls = type(value)
    if not cls.__flags__ & HEAP_TYPE or _is_library(cls.__module__):
        return False
    if issubclass(cls, tuple | BaseException | enum.Enum):
        return False
    return hasattr(value, "__dict__") or any(_members(cls))


def _is_library(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names and module != "__main__"


def _members(cls: type) -> dict[str, Any]:
    """The descriptors of ``__slots__``."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found |= {
            name: member
            for name, member in vars(base).items()
            if type(member) is types.MemberDescriptorType and base.__flags__ & HEAP_TYPE
        }
    return found


def attributes(instance: Any) -> dict[str, Any]:
    """What the instance holds now: its ``__dict__`` and its slots."""
    found = dict(object.__getattribute__(instance, "__dict__")) if has_dict(instance) else {}
    for name, member in _members(type(instance)).items():
        try:
            found[name] = member.__get__(instance)
        except AttributeError:
            continue
    return found


def has_dict(instance: Any) -> bool:
    try:
        object.__getattribute__(instance, "__dict__")
    except AttributeError:
        return False
    return True


def attribute(instance: Any, name: str, default: Any) -> Any:
    """One attribute of the instance itself, or ``default``; no code of the user's runs."""
    return attributes(instance).get(name, default)


def set_attribute(instance: Any, name: str, value: Any) -> None:
    object.__setattr__(instance, name, value)


def delete_attribute(instance: Any, name: str) -> None:
    if name in attributes(instance):
        object.__delattr__(instance, name)


def remake(cls: type, held: dict[str, Any]) -> Any:
    """A new instance with these attributes; ``__init__`` does not run."""
    made: Any = object.__new__(cls)
    for name, value in held.items():
        object.__setattr__(made, name, value)
    return made
