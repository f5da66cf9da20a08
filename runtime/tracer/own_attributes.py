"""Attributes of staged values that are for our own code alone: for the user's there is none of that name.

    try:
        return node.value
    except AttributeError:
        return node  # a staged array has no `value`, as an array has none

Code that is being traced is known by its globals, which are no plain dict (runtime/outside/environment.py). A
read by it finds nothing, so that Python asks the `__getattr__` of the class, which has NumPy's and Python's
words.
"""

from __future__ import annotations

import collections
import sys
from opcode import opname
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from autograph.converted_code import read_as_program

_PLAIN = (
    bool, int, float, complex, str, bytes, list, tuple, range, dict, set, frozenset, slice, BaseException,
    collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter,
    np.ndarray, np.generic, np.flatiter,
)  # fmt: skip
#: what some plain value has, a staged one may show
_SHOWN = frozenset().union(*map(dir, _PLAIN))


def hide_own_attributes(cls: type, public: tuple[str, ...] = ()) -> None:
    """Hide from traced code what the class body defines beside `public` and what plain values have."""
    for name, attribute in list(vars(cls).items()):
        if name not in _SHOWN and name not in public and not name.startswith("__"):
            setattr(cls, name, _OwnAttribute(name, attribute))


def is_hidden(cls: type, name: str, frame: FrameType) -> bool:
    """Does traced code in this frame ask for what is our own? A class with a ``__getattribute__`` asks so."""
    if type(frame.f_globals) is dict:
        return False
    return any(isinstance(vars(base).get(name), _OwnAttribute) for base in cls.__mro__)


class _OwnAttribute:
    """A slot, property, method or constant of a class, where the code that asks is our own."""

    __slots__ = ("attribute", "name", "read")

    def __init__(self, name: str, attribute: Any) -> None:
        self.name = name
        self.attribute = attribute
        is_constant = not hasattr(type(attribute), "__get__")
        self.read = (lambda owner, cls: attribute) if is_constant else attribute.__get__

    def __get__(self, owner: Any, cls: type) -> Any:
        if type(_getframe(1).f_globals) is dict or owner is None:
            return self.read(owner, cls)
        raise AttributeError(self.name)

    def __set__(self, owner: Any, value: Any) -> None:
        if type(_getframe(1).f_globals) is not dict:
            raise AttributeError(no_attribute(type(owner).__name__, self.name), name=self.name, obj=owner)
        self.attribute.__set__(owner, value)

    def __delete__(self, owner: Any) -> None:
        raise AttributeError(no_attribute(type(owner).__name__, self.name), name=self.name, obj=owner)


def reads_attribute(frame: FrameType, name: str) -> bool:
    """Does the line of traced code that runs read the attribute, and not C code that it called?"""
    code = frame.f_code
    if code is read_as_program.__code__:
        return True
    if type(frame.f_globals) is dict or name not in code.co_names:
        return False
    return opname[code.co_code[frame.f_lasti]] in ("LOAD_ATTR", "LOAD_METHOD")


def no_attribute(kind: str, name: str) -> str:
    """Python's words for a store to an object without a `__dict__`."""
    more = " and no __dict__ for setting new attributes" if sys.version_info >= (3, 13) else ""
    return f"{kind!r} object has no attribute {name!r}{more}"
