"""Descriptors of the user's own classes: their `__get__`, `__set__` and `__delete__` run converted.

>>> class Doubled:
...     def __get__(self, owner, cls=None):
...         return 2 * owner.x
>>> method_of(Doubled(), "__get__") is Doubled.__get__, method_of(property(), "__get__")
(True, None)
"""

from __future__ import annotations

import functools
import types
from typing import Any

from autograph.config import is_excluded
from autograph.operators import Undefined, call
from runtime.guards.paths import Attribute, Constant, Item
from runtime.ops.instances import attributes, class_attribute


def method_of(static: Any, name: str) -> types.FunctionType | None:
    """A method of a descriptor that the user wrote in Python."""

    method = class_attribute(type(static), name)
    if isinstance(method, types.FunctionType) and not is_excluded(method.__module__ or ""):
        return method
    return None


def computes(owner: Any, name: str, static: Any) -> bool:
    """Does a descriptor of the user's say what reading the attribute gives?"""
    if method_of(static, "__get__") is None:
        return False
    is_data = any(class_attribute(type(static), method) is not None for method in ("__set__", "__delete__"))
    return is_data or name not in attributes(owner)


def read(outside: Any, owner: Any, name: str, static: Any) -> Any:
    """What the descriptor gives for ``owner.name``."""
    return call(method_of(static, "__get__"), _known(outside, owner, name, static), owner, type(owner))


def store(outside: Any, owner: Any, name: str, value: Any, static: Any) -> bool:
    """Let a property or descriptor store the value, or delete where that is Undefined; False: it cannot."""
    deletes = isinstance(value, Undefined)
    given = () if deletes else (value,)
    if isinstance(static, property):
        change = static.fdel if deletes else static.fset
        if change is not None:
            call(change, owner, *given)
        return change is not None
    method = method_of(static, "__delete__" if deletes else "__set__")
    if method is not None:
        call(method, _known(outside, owner, name, static), owner, *given)
    return method is not None


def _known(outside: Any, owner: Any, name: str, static: Any) -> Any:
    """The descriptor as a part of the world outside, under a guard that the class still has it."""
    outside.definitions.guard_descriptor(type(owner), name, static)
    base = next(base for base in type(owner).__mro__ if name in vars(base))
    return outside.import_value(static, Item(Attribute(Constant(base, base.__name__), "__dict__"), name))


def require_namespace(owner: Any, static: functools.cached_property[Any]) -> None:
    """Complain, as Python does, of an object with no place for what `cached_property` computes."""
    if not type(owner).__dictoffset__:
        raise TypeError(
            f"No '__dict__' attribute on {type(owner).__name__!r} "
            f"instance to cache {static.attrname!r} property."
        )
