"""Text with values in it that are known at run time only: f-strings, `str(x)`, `%`, `format` and `join`.

>>> text = StagedText(("x = ", (1, "", "")))
>>> (text + "!").pieces
('x = ', (1, '', ''), '!')
"""

from __future__ import annotations

import string
from types import BuiltinFunctionType
from typing import Any, NoReturn

import jax

from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax.choices import Choice
from autograph.stages._jax.tracing import is_staged


class Percent:
    """A text with `%` and its values, a piece of a `StagedText`."""

    def __init__(self, text: str, values: Any) -> None:
        self.text, self.values = text, values


jax.tree_util.register_pytree_node(
    Percent, lambda p: ((p.values,), p.text), lambda text, parts: Percent(text, *parts)
)


class StagedText:
    """An f-string to be formatted at run time. `pieces` are what `ag__.fstr` takes."""

    def __init__(self, pieces: tuple[Any, ...]) -> None:
        self.pieces = pieces

    def __add__(self, other: Any) -> Any:
        return StagedText((*self.pieces, *_pieces_of(other))) if _is_text(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return StagedText((*_pieces_of(other), *self.pieces)) if _is_text(other) else NotImplemented

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()

    def _refuse(self, *_: Any) -> NoReturn:
        raise error_at_frame(
            StagingError,
            "this text is known only at run time",
            hint="print it, or use it as the message of an exception",
        )

    __str__ = __repr__ = __len__ = __bool__ = __hash__ = __iter__ = __contains__ = __getitem__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __mod__ = __mul__ = __format__ = _refuse


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, StagedText))


def _pieces_of(text: Any) -> tuple[Any, ...]:
    return text.pieces if isinstance(text, StagedText) else (text,)


def method(function: BuiltinFunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a text with staged values among its arguments, or NotImplemented where there are none."""
    text: Any = function.__self__
    if function.__name__ == "format" and any(map(_is_ours, (*args, *kwargs.values()))):
        return StagedText(tuple(_formatted(text, args, kwargs)))
    if function.__name__ == "join" and len(args) == 1 and type(args[0]) in (list, tuple):
        if any(isinstance(part, StagedText) for part in args[0]):
            pieces: list[Any] = []
            for k, part in enumerate(args[0]):
                pieces += [text] if k and text else []
                pieces += _pieces_of(part)
            return StagedText(tuple(pieces))
    return NotImplemented


def percent(text: str, values: Any) -> Any:
    """`text % values` with staged values among these, or NotImplemented where there are none."""
    if not any(map(_is_ours, jax.tree_util.tree_leaves(values))):
        return NotImplemented
    return StagedText(((Percent(text, values), "", ""),))


def _is_ours(value: Any) -> bool:
    return is_staged(value) or isinstance(value, (StagedText, Choice))


def _formatted(text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The pieces of `text.format(*args, **kwargs)`."""
    formatter, number = string.Formatter(), 0
    pieces: list[Any] = []
    for literal, field, spec, conversion in formatter.parse(text):
        pieces += [literal] if literal else []
        if field is None:
            continue
        if not field or field[0] in ".[":
            field, number = f"{number}{field}", number + 1
        value, _ = formatter.get_field(field, args, kwargs)
        if spec:
            spec = formatter.vformat(spec, args, kwargs)
        pieces.append((value, conversion or "", spec or ""))
    return pieces
