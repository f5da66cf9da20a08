"""Text made of values of a run: `str`, `repr`, `ascii`, `format`, `%` and `str.join`.

What the user's own `__str__`, `__repr__` and `__format__` make is left to the run.
"""

from __future__ import annotations

import collections
import datetime
import functools
import itertools
import operator
import string
import types
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator
from typing import Any

from autograph.operators import call
from autograph.plain_items import plain_items
from runtime.control_flow.builtin_iterables import StagedIterator
from runtime.control_flow.indexed import Indexed
from runtime.objects.acting import acts, users_function
from runtime.objects.real_objects import with_objects
from runtime.ops.instances import are_atoms, attributes, class_attribute
from runtime.staged import containers as staged_containers
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import Choice, is_instance, make_template, taken_by_run
from runtime.tracer.trace import Trace, require_trace
from runtime.types import EXCEPTION, STR, NumberType, ObjectType, ScalarType

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


def depends_on_run(trace: Trace, value: Any) -> bool:
    """Does the text of a value depend on what only a run knows?"""
    if isinstance(value, Staged | Choice) or trace.outside.is_outside(value):
        return True
    if trace.references.is_reference(value) or has_zone_of_users(value):
        return True
    depends = functools.partial(depends_on_run, trace)
    is_view = isinstance(value, Indexed) and not isinstance(value, StagedIterator)
    if is_view and value.is_range:
        return True
    if any(map(depends, _held_unseen(value))) or (is_view and value.over):
        raise trace.refuse(
            f"the text of {value.what if is_view else type(value).__name__} is asked for, "
            "of which only a run knows the parts",
            "make a list of it first: list(...), or print the parts",
        )
    parts = value if isinstance(value, list | tuple | set | frozenset) else ()
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
    elif isinstance(value, dict):
        parts = (*value.keys(), *value.values())
    return any(map(depends, parts))


def never_changes(value: Any) -> bool:
    """Is it a number or a text? They can be formatted later, and without a complaint."""
    kind = type_of_staged(value)
    return isinstance(kind, NumberType | ScalarType) or kind == STR


_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def _held_unseen(value: Any) -> Any:
    """What Python's own text of the value shows, and no operation can fill in."""
    if type(value) in _VIEWS:
        return value
    if isinstance(value, types.MappingProxyType):
        return value.items()
    return (value.args, value.keywords) if isinstance(value, functools.partial) else ()


_CONVERSIONS: dict[str | None, Any] = {None: lambda value: value, "s": str, "r": repr, "a": ascii}


def formatted(trace: Trace, pieces: tuple[Any, ...]) -> Any:
    """The text of ``pieces``: strings, and (value, conversion, spec)."""
    pieces = tuple([p if isinstance(p, str | tuple) else (p,) for p in pieces])

    def append(pieces: tuple[Any, ...]) -> Any:
        parts = tuple([p if isinstance(p, str) else _part(*p) for p in pieces])
        template, leaves = make_template(taken_by_run(with_objects(trace, parts, stored=False)))
        if not leaves and not any(depends_on_run(trace, part) for part in parts if not isinstance(part, str)):
            return "".join(
                [p if isinstance(p, str) else format(_CONVERSIONS[p[1]](p[0]), p[2]) for p in parts]
            )
        return emit("format", leaves, template=template)

    return staged_containers.without_choices((pieces,), append)


def _part(value: Any, conversion: str | None = None, spec: Any = None) -> tuple[Any, str | None, Any]:
    """A value as a run formats it."""
    require_reading(value)
    return value, conversion or None, spec if isinstance(spec, Staged) else spec or ""


def require_by_function(trace: Trace, function: Any, args: tuple[Any, ...]) -> None:
    """Refuse `Exception.__str__(error)` and `super().__repr__()`: Python would ask what stands for it."""
    if isinstance(function, types.MethodWrapperType):
        args = (function.__self__, *args)
    elif not isinstance(function, types.WrapperDescriptorType):
        return
    if function.__name__ in ("__str__", "__repr__") and any(depends_on_run(trace, arg) for arg in args):
        raise trace.refuse(
            f"the text of an object is asked for by `{function.__name__}`, which no trace sees",
            "write str(x) or repr(x), or make the text of the parts",
        )


def percent(trace: Trace, text: Any, values: Any) -> Any:
    """``text % values``; NotImplemented for what is no text, and where no value of a run is among them."""
    is_staged = isinstance(text, Staged) and text.type == STR
    if not is_staged and not (isinstance(text, str) and depends_on_run(trace, values)):
        return NotImplemented

    def append(values: Any) -> Any:
        require_reading(values, *BY_PERCENT)
        held = taken_by_run(with_objects(trace, values, stored=False))
        template, leaves = make_template((text, held))
        return emit("str.percent", leaves, template=template)

    return staged_containers.without_choices((values,), append)


def format_fields(trace: Trace, text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``text.format(*args, **kwargs)``; NotImplemented where no value of a run is among them."""
    given = {**kwargs, **{str(place): value for place, value in enumerate(args)}}
    if not any(depends_on_run(trace, value) for value in given.values()):
        return NotImplemented
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError as error:
        raise _unfilled(trace, str(error)) from None
    names = [name for _, name, _, _ in fields if name is not None]
    firsts = [formatter_field_name_split(name)[0] for name in names]
    if "" in firsts and any(isinstance(first, int) for first in firsts):
        raise _unfilled(trace, "some fields are numbered, others are not")
    pieces: list[Any] = []
    places = map(str, itertools.count())
    for literal, name, spec, conversion in fields:
        pieces.append(literal)
        if name is None:
            continue
        first, rest = formatter_field_name_split(name)
        first = next(places) if first == "" else str(first)
        if first not in given or "{" in (spec or "") or conversion not in (None, "r", "s", "a"):
            raise _unfilled(trace, f"the field `{name}` has no value, or another field in it")
        value = given[first]
        for is_attribute, key in rest:
            value = call(getattr if is_attribute else operator.getitem, value, key)
        pieces.append((value, conversion, spec))
    return formatted(trace, tuple(pieces))


def _unfilled(trace: Trace, why: str) -> Exception:
    return trace.refuse(
        f"`format` cannot fill in this text: {why}", "give a value for each field, or write an f-string"
    )
