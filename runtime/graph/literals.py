"""Static Python values (constants, attributes) as text.

>>> literal((1, 2.5, None, slice(0, None), "a#b"), Objects())
"(1, 2.5, None, slice(0, None, None), 'a#b')"
>>> literal(np.float32(0.1), Objects()), literal(float("-inf"), Objects()), literal(1j, Objects())
('f32(0.1)', '-inf', 'complex(0.0, 1.0)')

What has no text form is shown by number and kind, and kept in the ``Objects`` table:

>>> table = Objects()
>>> literal(len, table), table.by_number[1] is len
('<object 1: builtin_function_or_method len>', True)
"""

from __future__ import annotations

import builtins
import collections
import importlib
import math
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from runtime.graph.operations import Operation, Value
from runtime.ops.template import Hole
from runtime.types import (
    OBJECT,
    STR,
    ArrayType,
    ContainerType,
    NumberType,
    ObjectType,
    ScalarType,
    is_supported_dtype,
    short_dtype,
    type_of,
)


class Objects:
    """The objects with no text form, numbered in the order in which they appear."""

    def __init__(self) -> None:
        self.by_number: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        #: while a template is written with names for its holes: the names, and those used so far
        self.names: list[str] | None = None
        self.used: list[int] = []

    def reference(self, item: Any) -> str:
        number = self._numbers.setdefault(id(item), len(self._numbers) + 1)
        self.by_number[number] = item  # keeps it alive, and with it the identity
        name = item.get("__name__") if isinstance(item, dict) else getattr(item, "__name__", "")
        words = [type(item).__name__, re.sub(r"[<>\n]", "", name) if isinstance(name, str) else ""]
        return f"<object {number}: {' '.join(filter(None, words))}>"


#: functions of the runtime that a `Make` may call: the names that they have in text, and where each lives
_NAMED_FUNCTIONS = {
    "runtime.rebuild": "runtime.ops.instances",
    "runtime.one_of": "runtime.ops.objects",
    "runtime.stderr": "runtime.ops.objects",
}


def named_function(text: str) -> Any:
    """The function of the runtime that is called so in text; None where there is none."""
    home = _NAMED_FUNCTIONS.get(text)
    return home and getattr(importlib.import_module(home), text.removeprefix("runtime."))


def name_of_function(function: Any) -> str | None:
    """The name in text of a function of the runtime that has one."""
    if type(function) is not FunctionType:
        return None
    name = f"runtime.{function.__name__}"
    if _NAMED_FUNCTIONS.get(name) != function.__module__:
        return None
    return name if named_function(name) is function else None


def literal(item: Any, objects: Objects) -> str:
    """The text of a static value; exact, so that reading it back gives an equal value of the same type."""
    write = _WRITERS.get(type(item))
    if write is not None and not _is_namespace(item):
        return write(item, objects)
    if isinstance(item, np.generic):
        return _numpy_scalar(item, objects)
    if isinstance(item, np.dtype):
        return f"dtype({short_dtype(item)})" if is_supported_dtype(item) else f"dtype({item.str!r})"
    if isinstance(item, type):
        return _class(item) or objects.reference(item)
    name = str(getattr(item, "__name__", ""))
    if isinstance(item, np.ufunc) and getattr(np, name, None) is item:
        return f"numpy.{name}"
    if isinstance(item, Hole) and objects.names is not None and item.index < len(objects.names):
        objects.used.append(item.index)
        return objects.names[item.index]
    known = name_of_function(item)
    if known is not None:
        return known
    fields = form_fields(item)
    if fields is not None:
        return f"{type(item).__name__}({', '.join(literal(part, objects) for part in fields)})"
    return objects.reference(item)


def _is_namespace(item: Any) -> bool:
    """The globals of a module: the very dict is meant, and not what it holds."""
    return type(item) is dict and "__builtins__" in item


#: classes of the runtime whose instances are written as calls: where each lives, and its fields in order
FORMS = {
    "Dynamic": ("runtime.ops.definition", ("index",)),
    "Hole": ("runtime.ops.template", ("index",)),
    "Make": ("runtime.ops.template", ("function", "args", "kwargs")),
    "Template": ("runtime.ops.template", ("structure",)),
}


def form_class(name: str) -> type:
    module, _ = FORMS[name]
    return getattr(importlib.import_module(module), name)


def form_fields(item: Any) -> list[Any] | None:
    module, fields = FORMS.get(type(item).__name__, (None, ()))
    return [getattr(item, name) for name in fields] if type(item).__module__ == module else None


def is_inline_constant(operation: Operation) -> bool:
    """A constant that is shown where it is used: one that the text reads back with the same type."""
    if not operation.is_constant or list(operation.attributes) != ["value"]:
        return False
    value = operation.attributes["value"]
    inline = type(value) in _INLINE or (isinstance(value, np.generic) and is_supported_dtype(value.dtype))
    return inline and operation.output.type == type_of(value)


def is_constant(value: Value) -> bool:
    """Is the value such a constant?"""
    return value.owner is not None and is_inline_constant(value.owner)


_INLINE = frozenset({type(None), bool, int, float, complex, str, bytes})


def _float(value: float) -> str:
    if math.isnan(value):
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    return repr(value)


def _complex(value: complex) -> str:
    return f"complex({_float(value.real)}, {_float(value.imag)})"


def _numpy_scalar(item: np.generic, objects: Objects) -> str:
    if not is_supported_dtype(item.dtype):
        return objects.reference(item)
    name = str(ScalarType(item.dtype))
    if item.dtype.kind == "c":
        return f"{name}({_component(item.real)}, {_component(item.imag)})"
    if item.dtype.kind == "f":
        return f"{name}({_component(item)})"
    return f"{name}({item.item()!r})"


def _component(item: Any) -> str:
    """A NumPy float with as few digits as read back to the same float."""
    short = str(item)
    if item.dtype.type(float(short)) == item:
        return short
    return _float(float(item))


def _class(item: type) -> str | None:
    if getattr(builtins, item.__name__, None) is item:
        is_error = issubclass(item, BaseException)
        return item.__name__ if is_error else f"builtins.{item.__name__}"
    if issubclass(item, np.generic) and getattr(np, item.__name__, None) is item:
        return f"numpy.{item.__name__}"
    if getattr(collections, item.__name__, None) is item:
        return f"collections.{item.__name__}"
    return None


def _object_type(item: ObjectType, objects: Objects) -> str:
    return str(item) if item in (OBJECT, STR) else f"ObjectType({item.name!r})"


def _tuple(item: tuple[Any, ...], objects: Objects) -> str:
    parts = [literal(part, objects) for part in item]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _list(item: list[Any], objects: Objects) -> str:
    return f"[{', '.join(literal(part, objects) for part in item)}]"


def _dict(item: dict[Any, Any], objects: Objects) -> str:
    pairs = [f"{literal(key, objects)}: {literal(part, objects)}" for key, part in item.items()]
    return f"{{{', '.join(pairs)}}}"


def _set(item: Any, objects: Objects) -> str:
    """Sorted by their text: sets of strings have another order in every process."""
    return f"{type(item).__name__}({', '.join(sorted(literal(part, objects) for part in item))})"


def _slice(item: slice, objects: Objects) -> str:
    return f"slice({', '.join(literal(part, objects) for part in (item.start, item.stop, item.step))})"


_WRITERS: dict[type, Callable[[Any, Objects], str]] = {
    type(None): lambda item, _: "None",
    type(Ellipsis): lambda item, _: "...",
    bool: lambda item, _: repr(item),
    int: lambda item, _: repr(item),
    float: lambda item, _: _float(item),
    complex: lambda item, _: _complex(item),
    str: lambda item, _: repr(item),
    bytes: lambda item, _: repr(item),
    tuple: _tuple,
    list: _list,
    dict: _dict,
    set: _set,
    frozenset: _set,
    slice: _slice,
    ArrayType: lambda item, _: str(item),
    ScalarType: lambda item, _: str(item),
    NumberType: lambda item, _: str(item),
    ObjectType: _object_type,
    ContainerType: lambda item, _: str(item),
}
