"""``text.format(...)`` and ``text.format_map(mapping)``, whose text only a run knows.

The fields are looked up as CPython does it: numbered, named, with attributes and items, in format
specifications, too. What is wrong raises where CPython raises it, after the fields before.
"""

from __future__ import annotations

import operator
import string
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.operators import call
from runtime.staged.mappings import StagedDict
from runtime.texts.texts import depends_on_run, formatted
from runtime.tracer.spec import is_instance
from runtime.tracer.trace import Trace

_CONVERSIONS = (None, "r", "s", "a")


def format_fields(trace: Trace, text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``text.format(*args, **kwargs)``; NotImplemented where no value of a run is among them."""
    if not any(depends_on_run(trace, value) for value in (*args, *kwargs.values())):
        return NotImplemented
    return _Fields(trace, args, kwargs.__getitem__).text_of(text)


def format_mapping(trace: Trace, text: str, mapping: Any) -> Any:
    """``text.format_map(mapping)``; NotImplemented where the mapping holds no value of a run."""
    is_dict = type(mapping) is dict or isinstance(mapping, StagedDict)
    if not is_instance(mapping) and not (is_dict and depends_on_run(trace, mapping)):
        return NotImplemented
    if is_instance(mapping):
        return _Fields(trace, None, lambda name: mapping[name]).text_of(text)  # its method, converted
    return _Fields(trace, None, lambda name: call(operator.getitem, mapping, name)).text_of(text)


@dataclass
class _Fields:
    """The arguments of one call, and how its fields have been numbered so far."""

    trace: Trace
    args: tuple[Any, ...] | None  # None: of `format_map`
    named: Callable[[str], Any]
    automatic: int = 0
    manual: bool = False

    def text_of(self, text: str, depth: int = 2) -> Any:
        """The text, with the fields filled in."""
        pieces: list[Any] = []
        try:
            pieces.extend(self._pieces(text, depth))
        except (ValueError, LookupError, AttributeError, TypeError):
            formatted(self.trace, tuple(pieces))  # whose methods may act
            raise
        return formatted(self.trace, tuple(pieces))

    def _pieces(self, text: str, depth: int) -> Iterator[Any]:
        if depth == 0:
            raise ValueError("Max string recursion exceeded")
        for literal, name, spec, conversion in string.Formatter().parse(text):
            if literal:
                yield literal
            if name is None:
                continue
            value = self._value(name)
            if conversion not in _CONVERSIONS:
                shown = conversion if 32 < ord(conversion) < 127 else f"\\x{ord(conversion):x}"
                raise ValueError(f"Unknown conversion specifier {shown}")
            yield value, conversion, self.text_of(spec, depth - 1) if spec and "{" in spec else spec

    def _value(self, name: str) -> Any:
        first, rest = formatter_field_name_split(name)
        value = self.named(first) if isinstance(first, str) and first else self._numbered(first)
        for is_attribute, key in rest:
            value = call(getattr if is_attribute else operator.getitem, value, key)
        return value

    def _numbered(self, number: Any) -> Any:
        if number == "":
            if self.manual:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            number, self.automatic = self.automatic, self.automatic + 1
        elif self.automatic:
            raise ValueError("cannot switch from automatic field numbering to manual field specification")
        else:
            self.manual = True
        if self.args is None:
            raise ValueError("Format string contains positional fields")
        if number >= len(self.args):
            raise IndexError(f"Replacement index {number} out of range for positional args tuple")
        return self.args[number]
