"""Names: of what a module of this package has not, of functions in files, of objects (`activation="relu"`).

>>> @named_in_files("example.shout")
... def shout(text):
...     print(text.upper())
>>> name_of(shout), function_of("example.shout") is shout, name_of(len), function_of("os.system")
('example.shout', True, '', None)
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar


def refusing(module: str, spelling: str, aliases: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """The `__getattr__` of a module: names the nearest name that there is."""

    def missing(name: str) -> Any:
        found = vars(sys.modules[module])
        if aliases is not None and name in aliases:
            return found[aliases[name]]
        known = [each for each in found if not each.startswith("_")]
        nearest = difflib.get_close_matches(name, known, 1, 0.8)
        hint = f"; the nearest name that there is: {spelling}.{nearest[0]}" if nearest else ""
        raise AttributeError(f"{spelling} has no {name!r} here{hint}", name=name)

    return missing


F = TypeVar("F", bound=Callable[..., Any])

_FUNCTIONS: dict[str, Any] = {}
_MAKERS: dict[str, Callable[[str], Any]] = {}


def named_in_files(name: str) -> Callable[[F], F]:
    """A decorator: a file may name this function."""

    def add(function: F) -> F:
        _FUNCTIONS[name] = function
        function.__dict__["name_in_files"] = name
        return function

    return add


def made_by_files(name: str, maker: Callable[[str], Any]) -> None:
    """`NAME.WORD` in a file is what the maker makes of the word."""
    _MAKERS[name] = maker


def name_of(function: Any) -> str:
    """Its name; "" for a function that is not one of these."""
    return getattr(function, "name_in_files", "")


def function_of(name: str) -> Any:
    """The function of that name; None for a name that is not one of these."""
    maker, _, word = name.rpartition(".")
    return _MAKERS[maker](word) if maker in _MAKERS else _FUNCTIONS.get(name)


def by_name(kind: str, given: Any, known: Mapping[str, Any]) -> Any:
    """What a name stands for; anything else as it is.

    >>> by_name("activation", "relu", {"relu": max}) is max
    True
    """
    if not isinstance(given, str):
        return given
    if given in known:
        return known[given]
    nearest = difflib.get_close_matches(given, known, 1)
    hint = f"; the nearest name: {nearest[0]!r}" if nearest else ""
    raise ValueError(f"there is no {kind} {given!r}{hint}")
