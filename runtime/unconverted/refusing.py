"""Why a call of code that is not converted is refused, and what to write instead."""

from __future__ import annotations

import collections
import enum
import io
import types
from typing import Any

from autograph.config import is_excluded
from autograph.errors import AutographError, SourceNotFoundError, StagingError
from autograph.plain_items import plain_items
from autograph.source import find
from runtime.allowed import Callee, Way, entry_of
from runtime.numpy_calls.arguments import has_staged
from runtime.objects import acting
from runtime.ops.instances import class_attribute, is_library
from runtime.tracer.known_items import with_known_items
from runtime.tracer.trace import Trace

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
        return value in trace.outside.classes.known
    if trace.references.is_reference(value):
        return not (made_here and trace.outside.is_outside(value))
    if made_here:
        return False
    return trace.outside.is_watched(type(value)) and not isinstance(value, _OTHERWISE_KNOWN)


def changes_unseen(trace: Trace, entry: Callee, owner: Any) -> bool:
    """Would such a call change ``owner`` while tracing, once and for all, where others have it?"""
    if 0 not in entry.effects.writes:
        return False
    known = trace.frames or trace.outside.is_outside(owner)
    return bool(known) or isinstance(owner, bytearray | collections.deque)


def require_uncalled(trace: Trace, cls: type) -> None:
    """Refuse to make an instance of a class with methods of the user's that compiled code of a base calls,
    or of one derived from defaultdict.

    class Loud(collections.OrderedDict):
        def __setitem__(self, key, value): ...

    Loud(a=x)                    # OrderedDict.__init__ calls Loud.__setitem__, which no trace sees
    """
    if issubclass(cls, collections.defaultdict) and cls is not collections.defaultdict:
        raise trace.refuse(
            f"a {cls.__name__} is made, whose class is derived from defaultdict",
            "use a defaultdict, or a dict and its `setdefault`",
        )
    for base in cls.__mro__[1:]:
        entry = entry_of(base)
        if entry is not None and entry.methods:
            require_plain(trace, entry, cls, "__init__")


def require_plain(trace: Trace, entry: Callee, cls: type, called: str) -> None:
    """Refuse to call a method that calls methods of this class that are the user's."""
    for name in entry.methods:
        if acting.users_function(class_attribute(cls, name)) is not None:
            base = next(one for one in cls.__mro__ if called in vars(one) and is_library(one.__module__))
            raise trace.refuse(
                f"compiled code of {base.__name__} calls `{cls.__name__}.{name}` here, which no trace sees",
                "let the class be a kind of dict or of collections.UserDict",
            )


def refuse_unknown(trace: Trace, function: Any) -> StagingError:
    name = getattr(function, "__qualname__", type(function).__name__)
    module = getattr(function, "__module__", None)
    name = f"{module}.{name}" if module and module != "builtins" else name
    return trace.refuse(
        f"`{name}` is not converted, and cannot work on a value that is known only at run time",
        "return what it needs, and call it outside the decorated function",
        name,
    )


def _way_out(package: str, objects: list[Any]) -> str | None:
    """What to write instead where a call is of a kind that programs are full of; None for others."""
    if package in PROGRESS_BARS:
        return "loop over the items themselves, and show progress around the call of the decorated function"
    kinds = [type(one) for one in objects]
    if any(hasattr(kind, "to_numpy") and hasattr(kind, "columns") for kind in kinds):
        return "pass its columns as arrays: table[name].to_numpy()"
    if any(hasattr(kind, "to_numpy") for kind in kinds):
        return "pass its values as an array: series.to_numpy()"
    if any(issubclass(kind, io.TextIOBase) for kind in kinds):
        return "write print(text, end='', file=stream), and read a stream after the call, outside"
    if bytearray in kinds:
        return "collect the numbers in a list, and make the bytes of it outside the decorated function"
    return None


def refuse_call(trace: Trace, function: Any, arguments: Any = ()) -> Exception:
    """The error for a call that a graph would make once, while tracing, for good."""
    trace.outside.stands_in_the_way = True  # `autograph.include` may come
    if arguments:
        args, kwargs = arguments
        arguments = with_known_items(args), {name: with_known_items(arg) for name, arg in kwargs.items()}
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    name = getattr(function, "__qualname__", None) or type(function).__name__
    full = f"{module}.{name}" if module and module != "builtins" else name
    plain = getattr(function, "__func__", function)
    package = module.partition(".")[0]
    hint = _way_out(package, [owner, *(arguments[0] if arguments else ())])
    if hint is None and (has_staged(arguments) or holds_watched(trace, arguments, made_here=True)):
        hint = "return what it needs, and call it outside the decorated function"
    elif hint is None:
        hint = "call it outside the decorated function and pass the result as an argument"
    if isinstance(function, type):
        reason = "is a class that is not converted"
    elif not isinstance(plain, types.FunctionType):
        reason = "is compiled code"
    elif is_excluded(plain.__globals__.get("__name__") or ""):  # `wraps` may have given it another module
        package = plain.__globals__["__name__"].partition(".")[0]
        reason = f"is of {package}, which is not converted"
    elif not _has_source(plain):
        reason = "has no source that could be converted"
        hint = "put it in a file, or make the text that exec or eval runs known: autograph.register_source"
    else:
        reason = "is marked with do_not_convert"
    return trace.refuse(
        f"`{full}` {reason}, and may have effects or depend on the world outside: "
        "a graph would keep what it gives while tracing",
        hint,
        full,
    )


def _has_source(function: types.FunctionType) -> bool:
    try:
        find(function)
    except AutographError as error:
        return not isinstance(error, SourceNotFoundError)
    return True
