"""Library code that gets the program's objects, and is converted for that.

A method may call what a user's subclass has put in place of its own:

    class Loud(string.Formatter):
        def get_value(self, key, args, kwargs):
            print(key)
            return super().get_value(key, args, kwargs)

    Loud().format("{0}", x)      # Formatter.format calls Loud.get_value

Others read attributes of what they get (`string.Formatter().format("{0.a}", o)`, the methods of a UserList).
Python's source of such a function is converted as the user's own code is, so that what it calls back does its
work in each run, and reads what it reads under guards.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import inspect
import types
from typing import Any

from autograph.errors import SourceNotFoundError
from autograph.plain_items import plain_items
from runtime.callees.acting_code import is_library_code, users_function
from runtime.callees.purity import is_pure, refuse_call
from runtime.containers.special_methods import is_instance
from runtime.iterables.generators import generator_function
from runtime.objects.unseen_methods import NAMES as UNSEEN
from runtime.objects.watched_classes import HEAP_TYPE, SPECIAL_METHODS, namespace_of
from runtime.ops.instances import is_library
from runtime.tracer.trace import Trace

#: what such objects hold are no attributes, or attributes that never change
_OTHERWISE_KNOWN = (dict, list, set, frozenset, tuple, collections.deque, enum.Enum)
#: they ask the class of what they get
_OF_CLASSES = (dataclasses.fields, dataclasses.is_dataclass)
#: where hooks have these run converted, or refuse them, whoever calls
_HOOKED = frozenset(
    {*SPECIAL_METHODS, *UNSEEN, "__enter__", "__exit__", "__getattr__", "__post_init__", "__get__"}
)


def call_overridden(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of this function of a library's, or of a method called by its function; else NotImplemented.

    NotImplemented, too, where it neither calls back nor gets an object that the trace knows.
    """
    if not isinstance(function, types.FunctionType) or not args or not is_pure(function):
        return NotImplemented
    if not is_library_code(function.__globals__.get("__name__") or ""):
        return NotImplemented
    cls = args[0] if isinstance(args[0], type) else type(args[0]) if is_instance(args[0]) else None
    if function in _OF_CLASSES:
        return NotImplemented
    overridden = cls is not None and _is_method_of_library(function, cls) and overrides(cls)
    if not overridden and not any(_is_watched(trace, one) for one in (*args, *kwargs.values())):
        return NotImplemented
    try:
        entered: Any = trace.environment.enter(function, None)
    except SourceNotFoundError:
        raise refuse_call(trace, function, (args, kwargs)) from None
    if function.__code__.co_flags & inspect.CO_GENERATOR:
        return generator_function(trace, function, entered)(*args, **kwargs)
    return trace.calls.entering(function, entered)(*args, **kwargs)


def _is_method_of_library(function: types.FunctionType, cls: type) -> bool:
    """Does a base of the class hold this very function, and is it a library's?"""
    held = (namespace_of(base).get(function.__name__) for base in cls.__mro__ if _is_library(base))
    return any(getattr(one, "__func__", one) is function for one in held)


def _is_watched(trace: Trace, value: Any, depth: int = 3) -> bool:
    """Is it an object, or are there any in a container, whose attributes the trace must see read?"""
    if type(value) in (list, tuple, dict) and depth:
        return any(_is_watched(trace, one, depth - 1) for one in plain_items(value))
    if isinstance(value, type | types.FunctionType):
        return value in trace.outside.classes.known
    return trace.outside.is_watched(type(value)) and not isinstance(value, _OTHERWISE_KNOWN)


def _is_library(cls: type) -> bool:
    return bool(cls.__flags__ & HEAP_TYPE) and is_library(cls.__module__)


def overrides(cls: type) -> bool:
    """Has a user's class a method or property of its own in place of one of a base of a library's?"""
    for place, base in enumerate(cls.__mro__):
        if not base.__flags__ & HEAP_TYPE or is_library(base.__module__):
            continue
        below = [namespace_of(other) for other in cls.__mro__[place + 1 :] if _is_library(other)]
        for name, held in namespace_of(base).items():
            if name not in _HOOKED and users_function(held) is not None:
                if any(name in namespace for namespace in below):
                    return True
    return False
