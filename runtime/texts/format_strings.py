"""``text.format(...)``, whose text only a run knows.

The fields are looked up as CPython does it: numbered, named, with attributes and items, in format
specifications, too.
"""

from __future__ import annotations

import itertools
import operator
import string
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from collections.abc import Iterator
from typing import Any

from autograph.operators import call
from runtime.texts.texts import depends_on_run, formatted
from runtime.tracer.trace import Trace


class _Anything:
    """Has all attributes and items: given such values, Python complains of the fields themselves."""

    def __getattr__(self, name: str) -> _Anything:
        return self

    def __getitem__(self, key: Any) -> _Anything:
        return self

    def __format__(self, spec: str) -> str:
        return ""


def format_fields(trace: Trace, text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``text.format(*args, **kwargs)``; NotImplemented where no value of a run is among them."""
    if not any(depends_on_run(trace, value) for value in (*args, *kwargs.values())):
        return NotImplemented
    any_value = _Anything()
    try:
        str.format(text, *[any_value for _ in args], **dict.fromkeys(kwargs, any_value))
    except (ValueError, LookupError) as error:
        raise trace.refuse(
            f"`format` cannot fill in this text: {error}", "give a value for each field"
        ) from None
    return _filled(trace, text, args, kwargs, itertools.count())


def _filled(
    trace: Trace,
    text: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    numbers: Iterator[int],
) -> Any:
    """The text, with the fields filled in; ``numbers``: of those that have none."""
    pieces: list[Any] = []
    for literal, name, spec, conversion in string.Formatter().parse(text):
        pieces.append(literal)
        if name is None:
            continue
        first, rest = formatter_field_name_split(name)
        first = next(numbers) if first == "" else first
        value = args[first] if isinstance(first, int) else kwargs[first]
        for is_attribute, key in rest:
            value = call(getattr if is_attribute else operator.getitem, value, key)
        filled = _filled(trace, spec, args, kwargs, numbers) if spec and "{" in spec else spec
        pieces.append((value, conversion, filled))
    return formatted(trace, tuple(pieces))
