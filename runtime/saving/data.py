"""Which values can be written to a file: those whose text is read back with nothing run.

>>> is_data((1, "mean", np.dtype("float32"), {"axis": None})), is_data([len]), is_data(np.dtype("O"))
(True, False, False)
>>> read_data(text_of([1, np.float32(0.5)]))
[1, np.float32(0.5)]
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.formats.read_literals import read_literal
from runtime.formats.tokens import Cursor, ParseError, tokenize
from runtime.graph.literals import Objects, literal, name_of_function
from runtime.ops.definition import Effects
from runtime.ops.indexing import Dynamic
from runtime.ops.template import Hole, Make, Template
from runtime.specs.readers import Reader
from runtime.types import ArrayType, ContainerType, NumberType, ObjectType, ScalarType, is_supported_dtype

#: classes whose value the text says exactly
_PLAIN = (
    type(None), type(Ellipsis), bool, int, float, complex, str, bytes, Dynamic, Hole,
    ArrayType, ScalarType, NumberType, Effects,
)  # fmt: skip
#: Python's classes that an operation may name: it makes their instances, or asks for them
_CLASSES = frozenset(
    {bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, slice}
    | {deque, Counter, OrderedDict, defaultdict}
)
#: what a text that no program of ours wrote may make the reader raise
READ_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    SyntaxError,
)


def is_data(item: Any) -> bool:
    """Is it a value that text stands for?"""
    kind = type(item)
    if kind in _PLAIN or kind is ObjectType:
        return True
    if isinstance(item, np.generic):
        return is_supported_dtype(item.dtype)
    if isinstance(item, np.dtype):
        return is_supported_dtype(item)
    if isinstance(item, type):
        return item in _CLASSES or _is_known_class(item)
    if isinstance(item, np.ufunc):
        return getattr(np, item.__name__, None) is item
    parts = _PARTS.get(kind)
    return parts is not None and all(map(is_data, parts(item)))


def _is_known_class(item: type) -> bool:
    """Is it an exception of Python's, or a class of NumPy's scalars?"""
    return issubclass(item, BaseException | np.generic) and not literal(item, Objects()).startswith("<")


def _is_maker(function: Any) -> bool:
    exception = isinstance(function, type) and issubclass(function, BaseException)
    known = function in _CLASSES or (exception and _is_known_class(function))
    return known or name_of_function(function) is not None


#: what holds other values -> the values. Of what may not be, something that is no data either.
_PARTS: dict[type, Callable[[Any], Any]] = {
    tuple: lambda item: item,
    list: lambda item: item,
    set: lambda item: item,
    frozenset: lambda item: item,
    dict: lambda item: (*item, *item.values()),
    slice: lambda item: (item.start, item.stop, item.step),
    Template: lambda item: (item.structure,),
    Make: lambda item: (item.args, item.kwargs) if _is_maker(item.function) else (item.function, object()),
    Reader: lambda item: (),
    ContainerType: lambda item: (),
}


def text_of(item: Any) -> str:
    """The text of a value that is data."""
    return literal(item, Objects())


def read_data(text: str) -> Any:
    """The value of a text. Raises ParseError for one that is none."""
    try:
        cursor = Cursor(tokenize(text, 1))
        item = read_literal(cursor, {})
        cursor.expect("")
    except READ_ERRORS as error:
        raise ParseError(f"{text[:50]!r} is no value: {error}") from None
    if not is_data(item):
        raise ParseError(f"{text[:50]!r} is a value that is not saved")
    return item
