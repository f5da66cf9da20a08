"""What objects a run may meet as an item: the same that a spec says while tracing, for kernels and engines.

    Typed(int, int)                              an int that fits in 64 bits
    Row(tuple, (Typed(...), Typed(...)))         a tuple of two numbers
    OneOf((Same(None), Typed(float, float)))     None or a float

A `Reader` has one (see containers/elements.py). The flat values of an item, in order: of Typed the object
itself, of Row those of its parts, of Same none, and of OneOf the number of the alternative that it is, then
those of each alternative, where those of the others are such that nobody reads.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, TypeAlias

import numpy as np

from autograph.records import record
from runtime.types import PYTHON_TYPES, STR, ArrayType, ContainerType, NumberType, ScalarType, Type


@record
class Typed:
    """An object of a type. ``cls``: its class, exactly; None where that does not tell."""

    kind: Type
    cls: type | None


@record
class Same:
    """Always this very object."""

    value: Any


@record
class Row:
    """A tuple of that class with these items."""

    cls: type
    parts: tuple[Pattern, ...]


@record
class OneOf:
    """The first of these that fits."""

    alternatives: tuple[Pattern, ...]


@record
class Unknown:
    """Something that only Python can tell: a Tensor, a text that is known."""


Pattern: TypeAlias = Typed | Same | Row | OneOf | Unknown


def flat_types(pattern: Pattern) -> list[Type]:
    """The types of the flat values, without the numbers of alternatives."""
    if isinstance(pattern, Typed):
        return [pattern.kind]
    parts: tuple[Pattern, ...] = ()
    if isinstance(pattern, Row):
        parts = pattern.parts
    elif isinstance(pattern, OneOf):
        parts = pattern.alternatives
    return [found for part in parts for found in flat_types(part)]


#: the classes of containers by the names of their types
CONTAINERS: dict[str, type] = {
    cls.__name__: cls for cls in (list, tuple, dict, set, deque, defaultdict, Counter, OrderedDict)
}


def class_of(kind: Type) -> type | None:
    """The class that the objects of a type have; None where there are several, or the type does not tell.

    >>> from runtime.types import INT
    >>> class_of(INT), class_of(ContainerType("deque"))
    (<class 'int'>, <class 'collections.deque'>)
    """
    if isinstance(kind, NumberType):
        return PYTHON_TYPES[kind.kind]
    if isinstance(kind, ScalarType):
        return kind.dtype.type
    if isinstance(kind, ArrayType):
        return np.ndarray
    if isinstance(kind, ContainerType):
        return CONTAINERS.get(kind.name)
    return str if kind == STR else None
