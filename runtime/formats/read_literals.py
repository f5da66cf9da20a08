"""Static Python values read from text: the inverse of ``literals``.

>>> from runtime.formats.tokens import Cursor, tokenize
>>> read_literal(Cursor(tokenize("(1, -2.5, slice(None, 3, None), {'a': f32(0.1)})", 1)), {})
(1, -2.5, slice(None, 3, None), {'a': np.float32(0.1)})
>>> print(read_type(Cursor(tokenize("list[(f64, int) | None]", 1))))
list[(f64, int) | None]

Reading runs nothing: names stand for numbers, types, NumPy's own functions and Python's own classes only.
"""

from __future__ import annotations

import ast
import builtins
import collections
from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime.formats.tokens import Cursor
from runtime.graph import Value
from runtime.graph.literals import FORMS, form_class, named_function
from runtime.ops.template import Hole
from runtime.specs.spec import Const, Leaf, Opaque, Spec, Tuple, Variant
from runtime.types import DTYPE_NAMES, MAPPINGS, NUMBER_DTYPES, ContainerType, ObjectType, Type, parse_type

_WORDS = {"None": None, "True": True, "False": False, "nan": float("nan"), "inf": float("inf"), "...": ...}
#: containers of which a run knows the length
CONTAINERS = ("list", "deque", "set", "tuple", *MAPPINGS)
_SCALARS = {("b1" if name == "bool" else name): dtype.type for name, dtype in DTYPE_NAMES.items()}


class WithHoles(dict[int, Any]):
    """The numbered objects, where names of values may stand for the holes of a template."""

    def __init__(self, objects: Mapping[int, Any], scope: Mapping[str, Value]) -> None:
        super().__init__(objects)
        self.scope = scope
        self.found: list[Value] = []


def _calls(cursor: Cursor) -> bool:
    """Is this name followed by a parenthesis?"""
    return cursor.peek().text == "(" and cursor.peek().kind == "mark"


def read_literal(cursor: Cursor, objects: Mapping[int, Any]) -> Any:
    """One value. Raises ParseError with line and column; ``objects`` supplies the numbered ones."""
    token = cursor.token
    if isinstance(objects, WithHoles) and token.text in objects.scope and not _calls(cursor):
        objects.found.append(objects.scope[cursor.next().text])
        return Hole(len(objects.found) - 1)
    if token.kind == "object":
        return read_object(cursor, objects)
    if token.kind == "string":
        return ast.literal_eval(cursor.next().text)
    if token.kind == "number" or cursor.at("-"):
        return _number(cursor)
    if cursor.at("(", "["):
        return _sequence(cursor, objects)
    if cursor.at("{"):
        return _dict(cursor, objects)
    if token.text in _WORDS and token.kind in ("name", "mark"):
        return _WORDS[cursor.next().text]
    if token.kind != "name":
        cursor.fail("expected a value")
    if token.text in CONTAINERS and cursor.peek().text == "[":
        return read_type(cursor)
    if _calls(cursor):
        return _call(cursor, objects)
    return _named(cursor)


def read_type(cursor: Cursor) -> Type:
    """A type such as ``f64[None,3]``, or ``list[(f64, int) | None]``."""
    start = cursor.expect_kind("name", "a type, such as f64[None,3]")
    text = start.text
    if text in CONTAINERS and cursor.at("["):
        return _container_type(text, cursor)
    open_brackets = 0
    while open_brackets or cursor.at("["):
        if cursor.at(""):
            cursor.fail("expected ']'")
        open_brackets += cursor.at("[") - cursor.at("]")
        text += cursor.next().text
    try:
        return parse_type(text)
    except ValueError as error:
        cursor.position -= 1
        cursor.fail(str(error))


def _container_type(name: str, cursor: Cursor) -> ContainerType:
    """``list[f64]``, ``dict[str, int]``, from the bracket on; ``list[]`` holds nothing yet."""
    cursor.expect("[")
    if cursor.accept("]"):
        return ContainerType(name)
    first = _spec(cursor)
    second = _spec(cursor) if cursor.accept(",") else None
    cursor.expect("]")
    return ContainerType(name, first) if second is None else ContainerType(name, second, key=first)


def _spec(cursor: Cursor) -> Spec:
    alternatives = [_one_spec(cursor)]
    while cursor.accept("|"):
        alternatives.append(_one_spec(cursor))
    return alternatives[0] if len(alternatives) == 1 else Variant(tuple(alternatives))


def _one_spec(cursor: Cursor) -> Spec:
    if cursor.accept("("):
        items = [_spec(cursor)]
        while cursor.accept(","):
            if not cursor.at(")"):
                items.append(_spec(cursor))
        cursor.expect(")")
        return Tuple(tuple(items))
    if cursor.accept("opaque"):
        return Const(Opaque("what no run can have", "trace the function again"))
    if cursor.token.kind == "name" and not cursor.at("None", "True", "False"):
        return Leaf(read_type(cursor))
    return Const(read_literal(cursor, {}))


def read_attributes(cursor: Cursor, objects: Mapping[int, Any], closing: str) -> dict[str, Any]:
    """``axis=0, keepdims=False`` up to the closing mark, which is read too."""
    attributes: dict[str, Any] = {}
    while not cursor.at(closing):
        name = cursor.expect_kind("name", f"{closing!r} or the name of an attribute").text
        cursor.expect("=")
        attributes[name] = read_literal(cursor, objects)
        if not cursor.accept(","):
            break
    cursor.expect(closing)
    return attributes


def read_arguments(
    cursor: Cursor, positional: Mapping[int, Any], named: Mapping[int, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """``1, x, key=2)``: what stands by position, and by name, up to the parenthesis, which is read too.

    ``positional`` and ``named`` supply the numbered objects, and the values that names stand for.
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    while not cursor.at(")"):
        if cursor.token.kind == "name" and cursor.peek().text == "=":
            key = cursor.next().text
            cursor.expect("=")
            kwargs[key] = read_literal(cursor, named)
        else:
            args.append(read_literal(cursor, positional))
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return args, kwargs


def is_scalar_name(text: str) -> bool:
    """Does ``f64(`` begin an inline NumPy scalar?"""
    return text in _SCALARS or text == "complex"


def read_object(cursor: Cursor, objects: Mapping[int, Any]) -> Any:
    """One of the numbered objects."""
    number = int(cursor.token.text[len("<object ") :].partition(":")[0].rstrip(">"))
    if number not in objects:
        cursor.fail(f"object {number} has no text form; pass it as parse(text, objects={{{number}: ...}})")
    cursor.next()
    return objects[number]


def _number(cursor: Cursor) -> int | float:
    negative = cursor.accept("-")
    text = cursor.next().text
    if text in ("nan", "inf"):
        number: int | float = float(text)
    elif text[:1].isdigit():
        number = int(text) if text.isdigit() else float(text)
    else:
        cursor.fail("expected a number")
    return -number if negative else number


def _sequence(cursor: Cursor, objects: Mapping[int, Any]) -> Any:
    opening = cursor.next().text
    closing = ")" if opening == "(" else "]"
    items, commas = _items(cursor, objects, closing)
    if opening == "[":
        return items
    if len(items) == 1 and not commas:
        return items[0]
    return tuple(items)


def _items(cursor: Cursor, objects: Mapping[int, Any], closing: str) -> tuple[list[Any], int]:
    items: list[Any] = []
    commas = 0
    while not cursor.at(closing):
        items.append(read_literal(cursor, objects))
        if not cursor.accept(","):
            break
        commas += 1
    cursor.expect(closing)
    return items, commas


def _dict(cursor: Cursor, objects: Mapping[int, Any]) -> dict[Any, Any]:
    cursor.expect("{")
    result: dict[Any, Any] = {}
    while not cursor.at("}"):
        key = read_literal(cursor, objects)
        cursor.expect(":")
        result[key] = read_literal(cursor, objects)
        if not cursor.accept(","):
            break
    cursor.expect("}")
    return result


def _call(cursor: Cursor, objects: Mapping[int, Any]) -> Any:
    token = cursor.next()
    name = token.text
    cursor.expect("(")
    if name == "dtype":
        return _dtype(cursor)
    arguments, _ = _items(cursor, objects, ")")
    if name == "complex":
        return complex(*arguments)
    if name in ("set", "frozenset"):
        return (set if name == "set" else frozenset)(arguments)
    if name == "slice":
        return slice(*arguments)
    if name == "ObjectType":
        return ObjectType(*arguments)
    if name in _SCALARS:
        is_complex = DTYPE_NAMES["bool" if name == "b1" else name].kind == "c"
        return _complex_scalar(name, *arguments) if is_complex else _SCALARS[name](*arguments)
    if name not in FORMS:
        cursor.fail(f"{name!r} is not a kind of value")
    return form_class(name)(*arguments)


def _complex_scalar(name: str, real: float, imag: float) -> Any:
    part = np.float32 if name == "c64" else np.float64
    result = np.zeros((), DTYPE_NAMES[name])
    result.real, result.imag = part(real), part(imag)
    return result[()]


def _dtype(cursor: Cursor) -> np.dtype:
    token = cursor.next()
    cursor.expect(")")
    if token.kind == "string":
        return np.dtype(ast.literal_eval(token.text))
    if token.text not in DTYPE_NAMES:
        cursor.fail(f"{token.text!r} is not a dtype")
    return DTYPE_NAMES[token.text]


def _named(cursor: Cursor) -> Any:
    """A type, ``numpy.add``, ``builtins.int``, ``collections.deque``, or the name of an exception class."""
    text = cursor.token.text
    base = text.partition(".")[0]
    if text in NUMBER_DTYPES or text in ("str", "object") or base in _SCALARS or base in DTYPE_NAMES:
        return read_type(cursor)
    found = python_class(text)
    if found is None:
        cursor.fail("expected a value")
    cursor.next()
    return found


_OF_COLLECTIONS = (
    collections.deque, collections.Counter, collections.OrderedDict, collections.defaultdict
)  # fmt: skip


def python_class(text: str) -> Any:
    """What ``numpy.add``, ``builtins.int``, ``ValueError`` or a function of the runtime's own is; or None."""
    function = named_function(text)
    if function is not None:
        return function
    module, _, name = text.rpartition(".")
    if module == "numpy":
        found = getattr(np, name, None)
        is_scalar_class = isinstance(found, type) and issubclass(found, np.generic)
        return found if isinstance(found, np.ufunc) or is_scalar_class else None
    if module == "collections":
        found = getattr(collections, name, None)
        return found if found in _OF_COLLECTIONS else None
    found = getattr(builtins, name, None)
    if not isinstance(found, type) or module not in ("", "builtins"):
        return None
    return found if module or issubclass(found, BaseException) else None
