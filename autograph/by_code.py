"""Caches of what is found out about code objects.

Code objects hash and compare by content: the hash takes as long as the code is, and to compare two equal ones
takes twice as long with each function in a function (CPython compares the constants, and then their keys).
Converted code nests deeply, and a function that is defined once more, such as in a notebook's cell, is equal
to what it was. So these caches go by identity, and forget a code object when it dies.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import CodeType
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def once_per_code(function: Callable[Concatenate[CodeType, P], R]) -> Callable[Concatenate[CodeType, P], R]:
    """Call `function` once for each code object, and for what else it is given.

    >>> @once_per_code
    ... def names(code):
    ...     print("looking at", code.co_filename)
    ...     return code.co_names
    >>> one, other = compile("a", "a.py", "eval"), compile("a", "b.py", "eval")
    >>> names(one), names(one), names(other)
    looking at a.py
    looking at b.py
    (('a',), ('a',), ('a',))
    """
    known: dict[int, tuple[dict[Any, R], weakref.ref[CodeType]]] = {}

    @functools.wraps(function)
    def found(code: CodeType, /, *args: P.args, **kwargs: P.kwargs) -> R:
        entry = known.get(id(code))
        if entry is None:
            identity, pop = id(code), known.pop  # there still when the program ends
            entry = known[identity] = ({}, weakref.ref(code, lambda _: pop(identity, None)))
        results = entry[0]
        key = (args, tuple(kwargs.items())) if kwargs else args
        if key not in results:
            results[key] = function(code, *args, **kwargs)
        return results[key]

    return found
