"""``text.format(...)``, whose text only a run knows; its fields are numbered, named, or neither."""

from __future__ import annotations

import itertools
import string
from typing import Any

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
    if "" in names and any(map(str.isdigit, names)):
        raise _refused(trace, "some fields are numbered, others are not")
    pieces: list[Any] = []
    places = map(str, itertools.count())
    for literal, name, spec, conversion in fields:
        pieces.append(literal)
        if name is None:
            continue
        name = name or next(places)
        if name not in given or "{" in (spec or "") or conversion not in (None, "r", "s", "a"):
            raise _refused(trace, f"the field of {name!r} is none of a plain value")
        pieces.append((given[name], conversion, spec))
    return formatted(trace, tuple(pieces))


def _refused(trace: Trace, why: str) -> Exception:
    return trace.refuse(
        f"`format` cannot fill in this text: {why}", "give a value for each field, or write an f-string"
    )
