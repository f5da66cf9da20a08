"""What the arguments of a saved function have to be, as data, and whether those of a call are that.

>>> spec = spec_of((np.zeros(3), {"mode": "mean"}), "x")
>>> spec.as_json()
{'tuple': ['f64[3]', {'dict': [["'mode'", {'value': "'mean'"}]]}]}
>>> leaves = []
>>> read_spec(spec.as_json()).take((np.ones(3), {"mode": "mean"}), leaves), [type(leaf) for leaf in leaves]
(True, [<class 'numpy.ndarray'>, <class 'dict'>])

The leaves are those of `functions/signature.py: key_of`, in the same order.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from runtime.arguments import as_typed, is_of_type
from runtime.functions.tensor_specs import TensorSpec
from runtime.guards.keys import mark
from runtime.saving.admissible import is_data, read_data, text_of
from runtime.tensor import Tensor
from runtime.tracer.builder import Staged, type_of_staged
from runtime.tracer.spec import is_boxed
from runtime.types import (
    ArrayType,
    NumberType,
    ScalarType,
    Type,
    is_subtype,
    is_supported_dtype,
    parse_type,
    type_of,
)

_INT64 = range(-(2**63), 2**63)


class Unsaveable(Exception):
    """An argument that no file can describe; says what it is."""


@dataclass(frozen=True)
class Numeric:
    """An array, a NumPy scalar or a Python number; ``boxed``: in a Tensor."""

    type: Type
    boxed: bool = False

    def take(self, value: Any, leaves: list[Any]) -> bool:
        value = as_typed(value, self.type)
        leaves.append(value)
        if isinstance(value, Staged):
            found = type_of_staged(value)
            return found is not None and is_subtype(found, self.type) and is_boxed(value) == self.boxed
        if (type(value) is Tensor) != self.boxed:
            return False
        value = value.numpy() if self.boxed else value
        return is_of_type(value, self.type) and (type(value) is not int or value in _INT64)

    def as_json(self) -> Any:
        return {"tensor": str(self.type)} if self.boxed else str(self.type)

    def __str__(self) -> str:
        return f"Tensor {self.type}" if self.boxed else str(self.type)


@dataclass(frozen=True)
class Exactly:
    """This very value: None, a bool, a string."""

    value: Any

    def take(self, value: Any, leaves: list[Any]) -> bool:
        return not isinstance(value, Staged) and mark(value) == mark(self.value)

    def as_json(self) -> Any:
        return {"value": text_of(self.value)}

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class Items:
    """A list or tuple of items, or a namedtuple, of which the name and the fields count."""

    kind: str  # list, tuple, namedtuple
    items: tuple[Spec, ...]
    name: str = ""
    fields: tuple[str, ...] = ()

    def take(self, value: Any, leaves: list[Any]) -> bool:
        if self.kind == "namedtuple":
            cls = type(value)
            if getattr(cls, "_fields", None) != self.fields or cls.__name__ != self.name:
                return False
        elif type(value) is not (list if self.kind == "list" else tuple):
            return False
        if self.kind == "list":
            leaves.append(value)
        if len(value) != len(self.items):
            return False
        return all(spec.take(item, leaves) for spec, item in zip(self.items, value, strict=True))

    def as_json(self) -> Any:
        items = [item.as_json() for item in self.items]
        if self.kind == "namedtuple":
            return {"namedtuple": self.name, "fields": list(self.fields), "items": items}
        return {self.kind: items}

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.items))
        return f"[{inside}]" if self.kind == "list" else f"{self.name}({inside})"


@dataclass(frozen=True)
class Mapping:
    """A dict with these keys, in this order."""

    keys: tuple[Any, ...]
    items: tuple[Spec, ...]

    def take(self, value: Any, leaves: list[Any]) -> bool:
        if type(value) is not dict or len(value) != len(self.keys):
            return False
        leaves.append(value)
        if any(mark(key) != mark(known) for key, known in zip(value, self.keys, strict=True)):
            return False
        return all(spec.take(item, leaves) for spec, item in zip(self.items, value.values(), strict=True))

    def as_json(self) -> Any:
        pairs = zip(self.keys, self.items, strict=True)
        return {"dict": [[text_of(key), item.as_json()] for key, item in pairs]}

    def __str__(self) -> str:
        pairs = zip(self.keys, self.items, strict=True)
        return "{" + ", ".join(f"{key!r}: {item}" for key, item in pairs) + "}"


Spec: TypeAlias = Numeric | Exactly | Items | Mapping


def spec_of(value: Any, name: str) -> Spec:
    """The spec of an argument, or of what describes one. Raises Unsaveable."""
    kind: Any = type(value)
    if isinstance(value, TensorSpec):
        return Numeric(value.type)
    if isinstance(value, ArrayType | ScalarType | NumberType):
        return Numeric(value)
    if kind is Tensor:
        return Numeric(type_of(value.numpy()), boxed=True)
    is_array = kind is np.ndarray or isinstance(value, np.generic)
    if kind in (float, complex) or (is_array and is_supported_dtype(value.dtype)):
        return Numeric(type_of(value))
    if kind is int and value in _INT64:
        return Numeric(type_of(value))
    if kind in (list, tuple) or hasattr(kind, "_make"):
        items = tuple([spec_of(item, f"{name}[{i}]") for i, item in enumerate(value)])
        if kind in (list, tuple):
            return Items(kind.__name__, items)
        return Items("namedtuple", items, kind.__name__, kind._fields)
    if kind is dict:
        if not all(map(is_data, value)):
            raise Unsaveable(f"`{name}` is a dict with keys that no file can describe")
        items = tuple([spec_of(item, f"{name}[{key!r}]") for key, item in value.items()])
        return Mapping(tuple(value), items)
    if is_data(value):
        return Exactly(value)
    raise Unsaveable(f"`{name}` is no array, number, or structure of these")


def read_spec(form: Any) -> Spec:
    """The inverse of ``as_json``. Raises ValueError, LookupError or TypeError for what is none."""
    if isinstance(form, str):
        return Numeric(numeric_type(form))
    (kind, inner), *more = form.items()
    if kind == "tensor":
        return Numeric(numeric_type(inner), boxed=True)
    if kind == "value":
        return Exactly(read_data(inner))
    if kind == "dict":
        return Mapping(
            tuple([read_data(key) for key, _ in inner]), tuple([read_spec(item) for _, item in inner])
        )
    if kind == "namedtuple":
        named_tuple(inner, tuple(form["fields"]))
        return Items(kind, tuple(map(read_spec, form["items"])), inner, tuple(form["fields"]))
    if kind not in ("list", "tuple") or more:
        raise ValueError(f"{kind!r} is no kind of argument")
    return Items(kind, tuple(map(read_spec, inner)))


def numeric_type(text: str) -> Type:
    """A type of arrays, scalars or numbers. Raises ValueError for another."""
    found = parse_type(text)
    if not isinstance(found, ArrayType | ScalarType | NumberType):
        raise ValueError(f"{text!r} is no type of arrays or numbers")
    return found


@lru_cache(maxsize=256)
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """The class of namedtuples that a loaded function makes. Raises ValueError for names that are none."""
    make: Callable[..., Any] = namedtuple
    return make(name, fields)
