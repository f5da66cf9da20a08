"""Which operations a file may hold: those that act on numbers, arrays, containers and texts alone.

The one rule for what is saved and for what is loaded. An operation that touches an object, a global or a
function of Python's needs the program that made it; loaded from elsewhere, it could reach anything.

>>> from runtime.types import FLOAT
>>> x = Value(FLOAT, "x")
>>> why_not(Operation("py.add", (x, x), (FLOAT,))) is None
True
>>> why_not(Operation("object.getattr", (x,), (FLOAT,), {"name": "a"})).reason
'an object of Python is asked or changed'

Which values can be written to a file: those whose text is read back with nothing run.

>>> is_data((1, "mean", np.dtype("float32"), {"axis": None})), is_data([len]), is_data(np.dtype("O"))
(True, False, False)
>>> read_data(text_of([1, np.float32(0.5)]))
[1, np.float32(0.5)]
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runtime.formats.read_literals import read_literal
from runtime.formats.tokens import Cursor, ParseError, tokenize
from runtime.graph import Graph, Operation, Value
from runtime.graph.literals import Objects, literal, name_of_function
from runtime.ops.definition import REGISTRY, Effects
from runtime.ops.indexing import Dynamic
from runtime.ops.instances import rebuild
from runtime.ops.template import Hole, Make, Template
from runtime.specs.readers import Reader
from runtime.types import (
    CLASS,
    EXCEPTION,
    OBJECT,
    STACK,
    STR,
    ArrayType,
    BufferType,
    ContainerType,
    InstanceType,
    NumberType,
    ObjectType,
    ScalarType,
    Type,
    is_supported_dtype,
)


class Refusal(NamedTuple):
    """Why an operation is not saved, and what to do about it."""

    reason: str
    hint: str


_OUTSIDE = Refusal(
    "a variable or an attribute that lives outside of it is changed",
    "return the new value, or keep it in an array or an rt.Variable",
)
_OBJECT = Refusal(
    "an object of Python is asked or changed", "pass its numbers and arrays, or keep them in rt.Variable"
)
_CALL = Refusal(
    "Python code is called, which no file can hold",
    "call it outside, and pass what it returns; or use functions of NumPy that become operations",
)
_EXCEPTION = Refusal(
    "an exception's own object is looked into", "save a function that raises, and catch it outside"
)
_GRADIENT = Refusal(
    "a gradient goes back through a loop, a branch or a call, and no file holds what that keeps",
    "save the function itself, and take rt.grad of what rt.load gives",
)

#: operations and families that need Python -> why
_REFUSED: dict[str, Refusal] = {
    "object": _OBJECT,
    "store_attr": _OUTSIDE,
    "delete_attr": _OUTSIDE,
    "call": _CALL,
    "random.draw": _CALL,
    "companion": _GRADIENT,
    **dict.fromkeys(
        "gradient tangent record watch custom_gradient remat stack.new stack.push stack.pop".split(),
        _GRADIENT,
    ),
    "exception.traceback": _EXCEPTION,
    "exception.related": _EXCEPTION,
}
_JOINS = frozenset({"array", "asarray", "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"})
#: attributes that name something which the kernel looks up: the operation and the attribute -> the names
_NAMES: dict[tuple[str, str], frozenset[str]] = {
    ("class.name", "name"): frozenset({"__name__", "__qualname__"}),
    ("like", "name"): frozenset({"zeros_like", "ones_like", "empty_like"}),
    ("list.to_array", "function"): _JOINS,
    ("buffer.to_array", "function"): _JOINS,
    ("buffer.extreme", "function"): frozenset({"max", "min"}),
}


def why_not(op: Operation) -> Refusal | None:
    """Why an operation may not be in a file; None where it may."""
    definition = REGISTRY.get(op.name)
    if definition is None:
        return Refusal(f"there is no operation {op.name!r}", "update this package")
    refused = _REFUSED.get(op.name) or _REFUSED.get(definition.family)
    if refused is not None:
        return refused
    if op.makes_object:
        return _of_made(op.attributes["cls"])
    named = next((name for name in op.attributes if not _is_known_name(op, name)), None)
    if named is not None:
        return Refusal(
            f"{op.name} asks for {op.attributes[named]!r}, which it has no business with", _CALL.hint
        )
    for value in op.outputs:
        if not may_be_typed(value.type):
            return _of_type(value)
    for item in op.attributes.values():
        if op.is_constant and type(item) is np.ndarray:
            continue
        if not is_data(item):
            return _of_attribute(op, item)
    return None


def _is_known_name(op: Operation, attribute: str) -> bool:
    """May the kernel look this name up? All other attributes are no names, and stand for themselves."""
    named = op.attributes[attribute]
    if attribute == "ufunc":
        return isinstance(named, str) and isinstance(getattr(np, named, None), np.ufunc)
    names = _NAMES.get((op.name, attribute))
    return names is None or (isinstance(named, str) and named in names)


def may_be_typed(kind: Type) -> bool:
    """May a value of this type be in a file?"""
    if isinstance(kind, InstanceType):
        return False
    if isinstance(kind, ContainerType | BufferType) or not isinstance(kind, ObjectType):
        return True
    return kind in (OBJECT, STR, EXCEPTION, CLASS)


def _of_type(value: Value) -> Refusal:
    if value.type == STACK:  # a file could pop what was never pushed
        return _GRADIENT
    return Refusal(f"an object of class {value.type} is made or read", _OBJECT.hint)


def _of_made(cls: type) -> Refusal:
    if issubclass(cls, BaseException):
        return _of_raised(cls.__name__)
    return Refusal(
        f"an object of class {cls.__name__} is made", "use its numbers and arrays, and return those"
    )


def _of_raised(name: str) -> Refusal:
    return Refusal(f"{name} is raised, a class of the program's own", "raise one of Python's own exceptions")


def _of_attribute(op: Operation, item: Any) -> Refusal:
    """Why this attribute is not in a file."""
    if op.is_constant:
        return _OUTSIDE if isinstance(item, dict) and "__builtins__" in item else _OBJECT
    if op.is_raise:
        classes = [one.args[0] for one in _made(item) if one.function is rebuild]
        raised = next((one.__name__ for one in [*classes, item] if isinstance(one, type)), "an exception")
        return _of_raised(raised)
    kind = getattr(item, "__name__", type(item).__name__)
    return Refusal(f"{op.name} uses `{kind}` here, for which no text stands", _CALL.hint)


def _made(item: Any) -> list[Make]:
    structure = item.structure if isinstance(item, Template) else item
    return [one for one in structure if isinstance(one, Make)] if isinstance(structure, tuple) else []


def first_refused(
    graph: Graph, why: Callable[[Operation], Refusal | None] = why_not
) -> tuple[Operation, Refusal] | None:
    """The first operation of a graph, or of its functions, that may not be in a file.

    A constant is named only where nothing else is: what it is used for says more.
    """
    refused = [
        (op, refusal)
        for part in graph.whole()
        for op in part.operations()
        if (refusal := why(op)) is not None
    ]
    return min(refused, key=lambda found: found[0].is_constant, default=None)


def is_plain_name(name: Any) -> bool:
    """Is it a name that no path can hide in?

    >>> is_plain_name("predict.0.graph"), is_plain_name("../a"), is_plain_name("")
    (True, False, False)
    """
    return isinstance(name, str) and re.fullmatch(r"\w[\w.-]*", name) is not None


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
