"""Functions that `dataclass` and `namedtuple` write, and that no user has ever seen."""

from __future__ import annotations

from types import CodeType
from typing import Any

#: what `dataclass` puts around the functions that it has written; the name of that of a `namedtuple`'s module
_DATACLASS, _NAMEDTUPLE = "__create_fn__.<locals>.", "namedtuple_"


def is_generated(function: Any) -> bool:
    """Did `dataclass` or `namedtuple` write it? What a user hands to `exec` has the same file name.

    >>> import collections
    >>> is_generated(collections.namedtuple("Pair", "a b").__new__), is_generated(eval("lambda: 1"))
    (True, False)
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or code.co_filename != "<string>":
        return False
    module = function.__globals__.get("__name__")
    return is_of_dataclass(code) or (isinstance(module, str) and module.startswith(_NAMEDTUPLE))


def is_of_dataclass(code: CodeType) -> bool:
    """Did `dataclass` write the function of this code?"""
    return code.co_filename == "<string>" and code.co_qualname.startswith(_DATACLASS)
