"""Calls of code that is not converted, with staged arguments: what fails because they are staged is refused.

Such code may ask for the class of its arguments and raise TypeError where plain Python, with the value
there, would not: `fractions.Fraction(n, 3)`, `re.sub(pattern, "x", text)`. Staged as the program's own
exception, that would be silently wrong.

Why a call of code that is not converted is refused, and what to write instead.
"""

from __future__ import annotations

import collections
import contextlib
import enum
import functools
import io
import operator
import types
import warnings
from collections import deque
from collections.abc import Callable
from types import BuiltinFunctionType, MethodDescriptorType, MethodType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.code_objects import is_converted_code
from autograph.config import is_excluded
from autograph.errors import AutographError, SourceNotFoundError, StagingError
from autograph.operators import call
from autograph.plain_items import plain_items
from autograph.source import find
from runtime.allowed import Callee, Way
from runtime.control_flow.iterators import name_in_messages
from runtime.iterables.user_iterables import users_method
from runtime.numpy_calls.arguments import has_staged
from runtime.ops.instances import HEAP_TYPE
from runtime.ops.operators import METHODS
from runtime.specs.spec import NUMBERS
from runtime.staged.needed_now import class_of
from runtime.staged.strings import is_text
from runtime.tracer.builder import Staged, type_of_staged
from runtime.tracer.callers import entries
from runtime.tracer.known_items import with_known_items
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
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


#: packages whose functions wrap what a loop goes over, to show how far it is
PROGRESS_BARS = frozenset({"tqdm", "rich", "progressbar", "alive_progress", "fastprogress"})
#: what such objects hold are no attributes, or attributes that never change
_OTHERWISE_KNOWN = (dict, list, set, frozenset, tuple, collections.deque, enum.Enum)


def require_known(trace: Trace, function: Any, entry: Callee, *given: Any) -> None:
    """Refuse what the table allows for known values only, where it gets others."""
    if entry.way in (Way.KNOWN, Way.WHOLE) and (has_staged(given) or holds_watched(trace, given)):
        raise refuse_unknown(trace, function)


def holds_watched(trace: Trace, value: Any, made_here: bool = False) -> bool:
    """Is it an object, or are there any in a container, whose attributes the trace must see read?"""
    if type(value) in (list, tuple, dict):
        return any(holds_watched(trace, one, made_here) for one in plain_items(value))
    if isinstance(value, type | types.FunctionType):
        return value in trace.outside.classes.places
    if trace.references.is_reference(value):
        return not (made_here and trace.outside.is_outside(value))
    if made_here:
        return False
    is_asked = trace.outside.is_watched(type(value)) or trace.outside.is_foreign(value)
    return is_asked and not isinstance(value, _OTHERWISE_KNOWN)


def changes_unseen(trace: Trace, entry: Callee, owner: Any) -> bool:
    """Would such a call change ``owner`` while tracing, once and for all, where others have it?"""
    if 0 not in entry.effects.writes:
        return False
    known = trace.frames or trace.outside.is_outside(owner)
    return bool(known) or isinstance(owner, bytearray | collections.deque)


def require_plain(trace: Trace, cls: type) -> None:
    """Refuse a class derived from one whose compiled code calls its methods, which no trace sees.

    class Loud(collections.OrderedDict):
        def __setitem__(self, key, value): ...

    Loud(a=x)                    # OrderedDict.__init__ calls Loud.__setitem__
    """
    base = next((one for one in _CALL_BACK if issubclass(cls, one)), cls)
    if base is not cls:
        raise trace.refuse(
            f"compiled code of {base.__name__} may call methods of {cls.__name__}, which no trace sees",
            f"let an object of the class hold a {base.__name__}, or derive it from collections.UserDict",
        )


#: classes that are written for that
_CALL_BACK = (collections.OrderedDict, collections.Counter, collections.defaultdict, collections.deque)


def refuse_unknown(trace: Trace, function: Any) -> StagingError:
    """The error for a call that Python can only make with values that are there."""
    name = _name_of(function)
    return trace.refuse(
        f"`{name}` is not converted, and cannot work on a value that is known only at run time",
        "return what it needs, and call it outside the decorated function",
        name,
    )


def _name_of(function: Any) -> str:
    module = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return name if module == "builtins" else f"{module}.{name}"


#: what to write in the place of these
_INSTEAD = {
    contextlib.ExitStack: "write `with first, second:`, and `try` with `finally` in place of a callback",
    io.StringIO: "join the pieces, `''.join(pieces)`, or make the stream outside and pass it",
    warnings.catch_warnings: "put the `with` statement around the call of the decorated function",
}


def _instead(function: Any, package: str, objects: list[Any]) -> str | None:
    """What to write instead where a call is of a kind that programs are full of; None for others."""
    if isinstance(function, type) and function in _INSTEAD:
        return _INSTEAD[function]
    if package == "tqdm":
        return "write `for item in tqdm(items):`, so that each run shows a bar of its own"
    if package in PROGRESS_BARS:
        return "loop over the items themselves, and show progress around the call of the decorated function"
    for kind in map(type, objects):
        if hasattr(kind, "to_numpy") and hasattr(kind, "columns"):
            return "pass its columns as arrays: table[name].to_numpy()"
        if hasattr(kind, "to_numpy"):
            return "pass its values as an array: series.to_numpy()"
        if issubclass(kind, io.TextIOBase):
            return "write print(text, end='', file=stream), and read a stream after the call, outside"
        if kind is bytearray:
            return "collect the numbers in a list, and make the bytes of it outside the decorated function"
    return None


def refuse_call(trace: Trace, function: Any, arguments: Any = ((), {})) -> Exception:
    """The error for a call that a graph would make once, while tracing, for good."""
    if trace.outside.is_foreign(function):
        return refuse_foreign(trace, function, "called")
    trace.outside.stands_in_the_way = True  # `autograph.include` may come
    given = [*map(with_known_items, (*arguments[0], *arguments[1].values()))]
    name, plain = _name_of(function), getattr(function, "__func__", function)
    hint = _instead(function, name.partition(".")[0], [getattr(function, "__self__", None), *given])
    if hint is None and (has_staged(given) or holds_watched(trace, given, made_here=True)):
        hint = "return what it needs, and call it outside the decorated function"
    elif hint is None:
        hint = "call it outside the decorated function and pass the result as an argument"
    if isinstance(function, type):
        reason = "is a class that is not converted"
    elif not isinstance(plain, types.FunctionType):
        reason = "is compiled code"
    elif is_excluded(home := plain.__globals__.get("__name__") or ""):  # `wraps` gives it another module
        reason = f"is code of {home.partition('.')[0]}, which is not converted"
    elif not _has_source(plain):
        reason = "has no source that could be converted"
        hint = "put it in a file, or make the text that exec or eval runs known: autograph.register_source"
    else:
        reason = "is marked with do_not_convert"
    return trace.refuse(
        f"the result of `{name}(...)` would be computed once, while tracing, and reused by every later call: "
        f"`{name}` {reason}",
        hint,
        name,
    )


def refuse_foreign(trace: Trace, value: Any, what: str) -> Exception:
    """The error where Python would ask an object from outside, of whose class no trace sees the code."""
    cls = type(value)
    trace.outside.stands_in_the_way = True  # `autograph.include` may come
    hint = _instead(None, "", [value]) or "make a list, an array or a number of it outside, and pass that"
    return trace.refuse(
        f"a {cls.__module__}.{cls.__qualname__} from outside is {what}, by code that is not converted: "
        "the result would be computed once, while tracing, and reused by every later call",
        hint,
        cls.__name__,
    )


def _has_source(function: types.FunctionType) -> bool:
    try:
        find(function)
    except AutographError as error:
        return not isinstance(error, SourceNotFoundError)
    return True
