"""f-strings whose pieces a stage may claim.

>>> fstr("x = ", (3.14159, "", ".2f"), "; ", ("a", "r", ""))
"x = 3.14; 'a'"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.registry import active_stage, claiming_any

_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "s": str, "r": repr, "a": ascii}


def fstr(*pieces: Any) -> Any:
    """The f-string of `pieces`: texts, (value, conversion, format spec) triples, results of `formatted`."""
    values = [piece[0] if type(piece) is tuple else piece for piece in pieces]
    specs = [piece[2] for piece in pieces if type(piece) is tuple]
    stage = claiming_any(values) or claiming_any(specs)
    if stage is not None:
        text = stage.fstr(pieces)
        if text is not NotImplemented:
            return text
        return "".join([piece if type(piece) is str else _plainly(*piece) for piece in pieces])
    texts = [piece if type(piece) is str else _text(*piece) for piece in pieces]
    stage = claiming_any(texts)
    if stage is not None:
        return stage.fstr(tuple([text if type(text) is str else (text, "", "") for text in texts]))
    return texts[0] if len(texts) == 1 else "".join(texts)


def formatted(value: Any, conversion: str = "", spec: Any = "") -> Any:
    """One piece, formatted before the next one is evaluated; a triple for `fstr` where its stage wants that.

    >>> formatted(255, "", "x")
    'ff'
    """
    stage = claiming_any((value, spec))
    if stage is None:
        return _text(value, conversion, spec)
    text = stage.formatted(value, conversion, spec)
    return (value, conversion, spec) if text is NotImplemented else text


def percent(text: str, values: Any) -> Any:
    """`text % values`, of a text that stands there.

    >>> percent("%d of %s", (2.5, "3"))
    '2 of 3'
    """
    stage = active_stage()
    if stage is not None:
        result = stage.percent(text, values)
        if result is not NotImplemented:
            return result
    return text % values


def _text(value: Any, conversion: str, spec: str) -> Any:
    stage = active_stage()
    if stage is not None:
        text = stage.text(value, conversion, spec)
        if text is not NotImplemented:
            return text
    return _plainly(value, conversion, spec)


def _plainly(value: Any, conversion: str, spec: Any) -> str:
    return format(_CONVERSIONS[conversion](value), spec)
