"""Calls of code that is not converted, with staged arguments: what fails because they are staged is refused.

Such code may ask for the class of its arguments and raise TypeError where plain Python, with the value
there, would not: `fractions.Fraction(n, 3)`, `re.sub(pattern, "x", text)`. Staged as the program's own
exception, that would be silently wrong.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable
from types import BuiltinFunctionType, MethodDescriptorType, MethodType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.code_objects import is_converted_code
from autograph.errors import AutographError
from autograph.operators import call
from autograph.plain_items import plain_items
from runtime.calls.refusing import refuse_unknown
from runtime.control_flow.iterators import name_in_messages
from runtime.iterables.user_iterables import users_method
from runtime.ops.instances import HEAP_TYPE
from runtime.ops.operators import METHODS
from runtime.specs.spec import NUMBERS
from runtime.staged.needed_now import class_of
from runtime.staged.strings import is_text
from runtime.tracer.builder import Staged, type_of_staged
from runtime.tracer.callers import entries
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, ObjectType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def refusing_confusion(
    trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], stage_call: Callable[..., Any]
) -> Any:
    """What ``stage_call`` makes of the call; a TypeError that only staging causes is refused."""
    if not callable(function) and not isinstance(function, Choice):
        raise TypeError(f"'{name_in_messages(class_of(function))}' object is not callable")
    if isinstance(function, MethodDescriptorType | WrapperDescriptorType) and args:
        bound = _bound(trace, function, args[0])
        if bound is not None:
            return call(bound, *args[1:], **kwargs)
    if isinstance(function, MethodType) and isinstance(function.__self__, Staged | Choice):
        text_of = {"__repr__": repr, "__str__": str}.get(function.__name__)
        if text_of is not None and not (args or kwargs):
            return call(text_of, function.__self__)
    if isinstance(function, MethodType) and isinstance(type_of_staged(function.__self__), ArrayType):
        _require_seen(trace, function, (*args, *kwargs.values()))
    try:
        result = stage_call(trace, function, args, kwargs)
        if result is NotImplemented and _may_ask(function):
            _require_seen(trace, function, (*args, *kwargs.values()))
        if result is NotImplemented and _holds_object(args):
            return function(*args, **kwargs)
        return result
    except AutographError:
        raise
    except (TypeError, AttributeError) as error:
        called_back = any(is_converted_code(entry.tb_frame.f_code) for entry in entries(error))
        if function is getattr or called_back or not _holds_object([args, kwargs]):
            raise
        raise refuse_unknown(trace, function) from None


def _may_ask(function: Any) -> bool:
    """Is it code of C that may ask its arguments for something? What keeps them asks nothing."""
    if isinstance(function, type):
        is_held = function is object or issubclass(function, (BaseException, *_HOLD))
        return not function.__flags__ & HEAP_TYPE and not is_held
    is_builtin = isinstance(function, BuiltinFunctionType) and not isinstance(function.__self__, _CONTAINERS)
    return is_builtin and function not in _ASK_NOTHING


#: classes whose objects hold what they are made of, or that look at its class
_HOLD = (type, functools.partial, property, staticmethod, classmethod, MethodType)
#: their methods are those of the trace; they ask items and keys, which is seen
_CONTAINERS = (list, dict, set, frozenset, tuple, deque, type)
_ASK_NOTHING = frozenset({
    isinstance, issubclass, id, callable, getattr, hasattr, setattr, delattr, print,
    operator.is_, operator.is_not,
})  # fmt: skip


def _require_seen(trace: Trace, function: Any, arguments: tuple[Any, ...]) -> None:
    """Refuse a call that would ask an object from outside for what no trace sees."""
    for value in arguments:
        if trace.outside.is_foreign(value) and any(_is_unseen(type(value), name) for name in _ASKED):
            raise trace.outside.refuse_foreign(value, f"given to `{function.__name__}`")


def _is_unseen(cls: type, name: str) -> bool:
    """Has it a special method of that name that is no user's, and not converted?"""
    base = next((base for base in cls.__mro__ if vars(base).get(name) is not None), object)
    is_ours = base is object or base.__module__.startswith("runtime.")
    return not is_ours and users_method(cls, name) is None


#: the special methods that C asks what it is given for
_ASKED = [
    f"__{name}__"
    for name in """iter next len length_hint getitem contains reversed bool hash index int float complex round
        trunc floor ceil call bytes fspath str repr format array buffer enter exit""".split()
    + METHODS
]  # fmt: skip


def _bound(trace: Trace, function: Any, owner: Any) -> Any:
    """`x.is_integer` for `float.is_integer(x)`, `seen.add` for `set.add(seen, item)`; None for others.

    Raises StagingError for other methods of staged numbers that are called by their class.
    """
    cls, name, is_staged = function.__objclass__, function.__name__, isinstance(owner, Staged)
    is_special, is_number = name.startswith("__"), cls in NUMBERS or issubclass(cls, np.generic)
    if cls is str and is_text(owner) and not is_special:
        return getattr(owner, name)
    if is_number and is_staged and not is_special and issubclass(class_of(owner), cls):
        return getattr(owner, name)
    if is_staged and (is_number or (cls is object and name in _OF_OBJECTS)):
        raise refuse_unknown(trace, function)
    plain = isinstance(function, MethodDescriptorType) and issubclass(type(owner), cls)
    return function.__get__(owner) if plain else None


_OF_OBJECTS = ("__repr__", "__str__", "__format__", "__reduce__")


def _holds_object(item: Any) -> bool:
    if isinstance(item, list | tuple | dict):
        return any(map(_holds_object, plain_items(item)))
    return isinstance(item, Staged) and isinstance(item.type, ObjectType)
