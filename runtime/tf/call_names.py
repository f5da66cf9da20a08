"""The functions of this package that a graph may call, by the names that they have in files.

>>> @named_in_files("example.shout")
... def shout(text):
...     print(text.upper())
>>> name_of(shout), function_of("example.shout") is shout, name_of(len), function_of("os.system")
('example.shout', True, '', None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

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
