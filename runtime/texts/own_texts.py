"""The texts that the user's own `__str__`, `__repr__` and `__format__` make.

As a rule a run makes them, of the real object: these methods read. One that also changes something (counts
its calls, prints) is a call like any other, which the trace has to see.
"""

from __future__ import annotations

import collections
import datetime
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph.config import is_excluded
from autograph.operators import call
from autograph.plain_items import plain_items
from runtime.control_flow.answers import checked_answer
from runtime.objects.acting import acts, users_function
from runtime.objects.descriptors import method_of
from runtime.ops.instances import attributes, class_attribute
from runtime.ops.strings import escaped
from runtime.staged.strings import ask
from runtime.tracer.builder import Staged, refuse, type_of_staged
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice, is_instance
from runtime.tracer.trace import require_trace
from runtime.types import EXCEPTION, STR, ContainerType, ObjectType

_METHODS = {
    None: ("__format__", "__str__", "__repr__"),
    "s": ("__str__", "__repr__"),
    "r": ("__repr__",),
    "a": ("__repr__",),
}
_ASKS: dict[str | None, Callable[[Any], str]] = {None: format, "s": str, "r": repr, "a": ascii}


def own_text(value: Any, conversion: str | None = None, spec: Any = None) -> tuple[Any, str | None, Any]:
    """``value``, or the text of it where a method that changes something makes that; and how to go on."""
    for error in known_errors(value):
        _refuse_in_error(error, conversion)
    if not isinstance(value, BaseException):
        refuse_inside(value, conversion)
    conversion = conversion or None
    has_spec = isinstance(spec, Staged) or bool(spec)
    if isinstance(value, BaseException) and conversion in (None, "s") and not has_spec:
        shown = _shown_by(value)
        if shown is not value:
            return shown, "s", None
    if not is_instance(value) or conversion not in _METHODS:
        return value, conversion, spec
    for name in _METHODS[conversion]:
        if class_attribute(type(value), name) not in (None, getattr(object, name, None)):
            method = method_of(value, name)
            if method is None or not (acts(method, type(value)) or _shows_acting(value, method)):
                break
            formats = name == "__format__"
            if spec and conversion is None and not formats:
                break  # which `object.__format__` does not take
            made = call(method, value, *([spec or ""] if formats else []))
            if not (isinstance(made, str) or (isinstance(made, Staged) and made.type == STR)):
                made = checked_answer(value, made, name, _ASKS[conversion])  # or Python's complaint
            if conversion == "a":
                made = ask("str.escaped", made) if isinstance(made, Staged) else escaped(made)
            return made, "s", None if formats else spec
    return value, conversion, spec


def refuse_inside(value: Any, conversion: str | None) -> None:
    """The text of a container is made in one piece, and so is that of a time with a time zone."""
    method = _acting_below(_shown(value), set()) or _acting_in_run(value, set())
    if method is not None:
        raise refuse(
            f"`{method.__qualname__}` changes something, and the text of a container asks for it",
            "write the texts of the items one by one, with repr(item)",
        )
    zone = zone_of_users(value) if conversion not in ("r", "a") else None
    for name in ("utcoffset", "tzname", "dst"):
        method = method_of(zone, name)
        if method is not None and acts(method, type(zone)):
            kind = type(value).__name__
            raise refuse(
                f"`{method.__qualname__}` changes something, and the text of a {kind} asks for it",
                "make that text outside the decorated function",
            )


def zone_of_users(value: Any) -> Any:
    """The time zone of a time, where its class is the user's; else None."""
    zone = value.tzinfo if type(value) in (datetime.datetime, datetime.time) else None
    return zone if is_instance(zone) else None


def _shown(value: Any) -> Iterable[Any]:
    """What Python's own text of the value shows."""
    if isinstance(value, dict):
        return [*dict.keys(value), *dict.values(value)]
    if isinstance(value, list | tuple | set | frozenset | collections.deque):
        return plain_items(value)
    if isinstance(value, collections.UserDict | collections.UserList):
        return (require_trace().seen(value).data,)
    if isinstance(value, BaseException):
        return [argument for arguments in _ways_of_arguments(value) for argument in arguments]
    if isinstance(value, types.SimpleNamespace) or (is_instance(value) and _has_made_text(value)):
        return attributes(value).values()
    return ()


def _has_made_text(value: Any) -> bool:
    """Has `dataclass` made its ``__repr__``?"""
    held = class_attribute(type(value), "__repr__")
    made = getattr(held, "__runtime_inline__", held)
    return isinstance(made, types.FunctionType) and is_excluded(made.__globals__.get("__name__") or "")


def _acting_below(shown: Iterable[Any], seen: set[int]) -> types.FunctionType | None:
    """The method of the user's for one of these texts, or what they show, that changes something."""
    for item in shown:
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Staged):
            found = _acting_in_run(item, seen)
            if found is not None:
                return found
            continue
        method = method_of(item, "__repr__") if is_instance(item) else None
        if method is not None and acts(method, type(item)):
            return method
        below = _shown(item) if method is None else attributes(item).values()
        found = _acting_below(below, seen)
        if found is not None:
            return found
    return None


def _acting_in_run(value: Any, seen: set[int]) -> types.FunctionType | None:
    """The same, for what a container of the run holds, or may hold."""
    if not isinstance(type_of_staged(value), ContainerType):
        return None
    plain = as_plain(value)
    if plain is not value:
        return _acting_below(_shown(plain), seen)
    classes = require_trace().containers.classes_in(value.type)
    methods = [(cls, users_function(class_attribute(cls, "__repr__"))) for cls in classes]
    return next((method for cls, method in methods if method is not None and acts(method, cls)), None)


def _shows_acting(value: Any, method: types.FunctionType) -> bool:
    """Does the method perhaps ask for the text of something whose own method changes something?"""
    return _acting_below(attributes(value).values(), {id(value)}) is not None


def known_errors(value: Any) -> Iterator[BaseException]:
    """The exceptions that ``value`` may be, as far as the trace made them."""
    if isinstance(type_of_staged(value), ObjectType) and value.type == EXCEPTION:
        outside = require_trace().outside
        for known in outside.handled.get(value.value, ()):
            if isinstance(known, int) and known in outside.births:
                yield outside.local(known)
    elif not isinstance(value, Staged) and isinstance(value, BaseException):
        yield value


def _shown_by(error: BaseException) -> Any:
    """What has the same text as an exception of the run of which the trace knows the arguments; or itself."""
    trace = require_trace()
    reference = trace.references.value(error)
    if reference is None or type(error).__str__ is not BaseException.__str__:
        return error
    args = trace.heap.fact(reference, "args")
    if not isinstance(args, tuple):
        return error
    return args[0] if len(args) == 1 else args or ""


def _refuse_in_error(error: BaseException, conversion: str | None) -> None:
    """The text of an exception is made in one piece, too: of its only argument, or of all of them."""
    if isinstance(getattr(type(error), "__str__", None), types.FunctionType):
        return
    for arguments in _ways_of_arguments(error):
        _refuse_in_arguments(arguments, conversion if len(arguments) == 1 else "r")


def _ways_of_arguments(error: BaseException) -> list[tuple[Any, ...]]:
    """The arguments of an exception: several where only a run knows which it has."""
    args: Any = require_trace().seen(error).args
    ways = args.values if isinstance(args, Choice) else (args,)
    return [way for way in ways if isinstance(way, tuple)]


def _refuse_in_arguments(arguments: tuple[Any, ...], conversion: str | None) -> None:
    name = "__str__" if conversion in (None, "", "s") else "__repr__"
    for argument in arguments:
        if isinstance(argument, BaseException):
            _refuse_in_error(argument, conversion)
        if not is_instance(argument):
            continue
        found = [method for one in (name, "__repr__") if (method := method_of(argument, one)) is not None]
        if found and acts(found[0], type(argument)):
            raise refuse(
                f"`{found[0].__qualname__}` changes something, and the text of an exception asks for it",
                "raise the exception with the text, `raise ValueError(str(x))`",
            )
