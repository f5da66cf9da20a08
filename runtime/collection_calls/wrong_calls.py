"""Methods of containers, texts and numbers with a wrong number of arguments: Python's own words for it.

>>> complaint(list, "append", 2, ())
TypeError('list.append() takes exactly one argument (2 given)')
>>> complaint(list, "append", 1, ()) is None
True
"""

from __future__ import annotations

import functools
import re
from typing import Any

from runtime.ops.item_patterns import KINDS
from runtime.tracer.builder import Staged
from runtime.types import PYTHON_TYPES, STR, ContainerType, NumberType

_CLASSES: dict[str, Any] = {cls.__name__: cls for cls in (*KINDS, tuple)}
_OF_ARGUMENTS = (
    r"(takes|expected|must have) .*arguments?\b|(keyword|positional|missing required) argument|must have at"
)


def check_arguments(owner: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises TypeError where a method of one of these cannot be called with so many arguments."""
    cls = _class_of(owner)
    if cls is not None:
        error = complaint(cls, name, len(args), tuple(kwargs))
        if error is not None:
            raise TypeError(*error.args)


def _class_of(owner: Any) -> Any:
    if not isinstance(owner, Staged):
        return type(owner) if type(owner) in (*KINDS, tuple) else None
    if isinstance(owner.type, ContainerType):
        return _CLASSES.get(owner.type.name)
    if isinstance(owner.type, NumberType):
        return PYTHON_TYPES[owner.type.kind]
    return str if owner.type == STR else None


def check_call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises TypeError where what makes an iterator, or a range, cannot be called with so many arguments."""
    error = _complaint_of_maker(function, len(args), tuple(kwargs))
    if error is not None:
        raise TypeError(*error.args)


@functools.lru_cache(maxsize=1000)
def _complaint_of_maker(function: Any, count: int, names: tuple[str, ...]) -> TypeError | None:
    try:
        function(*[()] * count, **dict.fromkeys(names, ()))  # of nothing, which nobody asks for items
    except TypeError as error:
        return error if re.search(_OF_ARGUMENTS, str(error)) else None
    except ValueError:  # of the arguments
        return None
    return None


@functools.lru_cache(maxsize=1000)
def complaint(cls: Any, name: str, count: int, names: tuple[str, ...]) -> TypeError | None:
    """What an empty container says to a call with so many arguments; None where their number is right."""
    method = getattr(cls(), name, None)
    if method is None or not callable(method):
        return None
    try:
        method(*[None] * count, **dict.fromkeys(names))
    except TypeError as error:
        return error if re.search(_OF_ARGUMENTS, str(error)) else None
    except (AttributeError, LookupError, ValueError):  # of the arguments, which only the call knows
        return None
    return None
