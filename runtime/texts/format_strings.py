"""``text.format(...)``, whose text only a run knows; its fields are numbered, named, or neither."""

from __future__ import annotations

import itertools
import operator
import string
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from typing import Any

from autograph.operators import call
from runtime.texts.texts import depends_on_run, formatted
from runtime.tracer.trace import Trace


def format_fields(trace: Trace, text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``text.format(*args, **kwargs)``; NotImplemented where no value of a run is among them."""
    given = {**kwargs, **{str(place): value for place, value in enumerate(args)}}
    if not any(depends_on_run(trace, value) for value in given.values()):
        return NotImplemented
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError as error:
        raise _refused(trace, str(error)) from None
    names = [name for _, name, _, _ in fields if name is not None]
    firsts = [formatter_field_name_split(name)[0] for name in names]
    if "" in firsts and any(isinstance(first, int) for first in firsts):
        raise _refused(trace, "some fields are numbered, others are not")
    pieces: list[Any] = []
    places = map(str, itertools.count())
    for literal, name, spec, conversion in fields:
        pieces.append(literal)
        if name is None:
            continue
        first, rest = formatter_field_name_split(name)
        first = next(places) if first == "" else str(first)
        if first not in given or "{" in (spec or "") or conversion not in (None, "r", "s", "a"):
            raise _refused(trace, f"the field `{name}` has no value, or another field in it")
        value = given[first]
        for is_attribute, key in rest:
            value = call(getattr if is_attribute else operator.getitem, value, key)
        pieces.append((value, conversion, spec))
    return formatted(trace, tuple(pieces))


def _refused(trace: Trace, why: str) -> Exception:
    return trace.refuse(
        f"`format` cannot fill in this text: {why}", "give a value for each field, or write an f-string"
    )
