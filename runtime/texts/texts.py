"""Text made of values of a run: `str`, `repr`, `ascii`, `format`, `%` and `str.join`.

Text is made when the function runs, by the values' own classes. What Python's own code asks for the text of a
staged value, a list that is printed say, is refused: what it would get is text about the tracer.
"""

from __future__ import annotations

import functools
import itertools
import operator
import string
import types
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from typing import Any

from autograph.operators import call
from runtime.iteration.indexed import Indexed
from runtime.iteration.item_iterators import StagedIterator
from runtime.objects.real_objects import with_objects
from runtime.staged import containers as staged_containers
from runtime.texts import own_texts
from runtime.tracer.builder import Staged, emit, type_of_staged
from runtime.tracer.chosen_parts import taken_by_run
from runtime.tracer.spec import Choice, make_template
from runtime.tracer.trace import Trace
from runtime.types import STR, NumberType, ScalarType


def depends_on_run(trace: Trace, value: Any) -> bool:
    """Does the text of a value depend on what only a run knows?"""
    if isinstance(value, Staged | Choice) or trace.outside.is_outside(value):
        return True
    if trace.references.is_reference(value) or own_texts.has_zone_of_users(value):
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
    own_texts.require_reading(value)
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
        own_texts.require_reading(values, *own_texts.BY_PERCENT)
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
