"""What objects a run may meet as an item: the same that a spec says while tracing, for kernels and engines.

    Typed(int, int)                              an int that fits in 64 bits
    Row(tuple, (Typed(...), Typed(...)))         a tuple of two numbers
    OneOf((Same(None), Typed(float, float)))     None or a float

A `Reader` has one (see specs/readers.py). The flat values of an item, in order: of Typed the object
itself, of Row those of its parts, of Same none, and of OneOf the number of the alternative that it is, then
those of each alternative, where those of the others are such that nobody reads.
"""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection
from typing import Any, TypeAlias

import numpy as np

from autograph.records import record
from runtime.types import (
    INT,
    PYTHON_TYPES,
    STR,
    ArrayType,
    BufferType,
    ContainerType,
    NumberType,
    ScalarType,
    Type,
)


@record
class Typed:
    """An object of a type. ``cls``: its class, exactly; None where that does not tell."""

    kind: Type
    cls: type | None


@record
class Same:
    """Always this very object."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@record
class Text:
    """This text, whichever object it is."""

    value: str


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
    """Something that only Python can tell: a Tensor, a range."""


Pattern: TypeAlias = Typed | Same | Text | Row | OneOf | Unknown


def flat_types(pattern: Pattern) -> list[Type]:
    """The types of the flat values; of one of several, the number of the alternative comes first."""
    if isinstance(pattern, Typed):
        return [pattern.kind]
    if isinstance(pattern, OneOf):
        return [INT, *(found for part in pattern.alternatives for found in flat_types(part))]
    return [found for part in pattern.parts for found in flat_types(part)] if isinstance(pattern, Row) else []


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


def base_of(kind: Type) -> type | None:
    """The class that machine code takes for granted in objects of a type; None where it looks itself."""
    if isinstance(kind, BufferType):
        return list if isinstance(kind.item, ArrayType) else None
    return class_of(kind)


# -- all items at once ---------------------------------------------------------------------------------


def decides(pattern: Pattern) -> bool:
    """Do the classes of an item and of its parts, and the size of its ints, say whether it fits?"""
    if isinstance(pattern, Typed):
        return pattern.cls is not None and not isinstance(pattern.kind, ScalarType | ArrayType)
    if isinstance(pattern, Row | OneOf):
        return all(map(decides, pattern.parts if isinstance(pattern, Row) else pattern.alternatives))
    return isinstance(pattern, Same | Text)


def surely_fit(pattern: Pattern, items: Collection[Any]) -> bool:
    """Do all items fit, as far as it is quickly seen? What is not may fit nevertheless.

    >>> from runtime.types import FLOAT, INT
    >>> number = OneOf((Typed(INT, int), Typed(FLOAT, float)))
    >>> surely_fit(number, [1, 2.5]), surely_fit(number, [2**63]), surely_fit(number, [1, "a"])
    (True, False, False)
    >>> surely_fit(Row(tuple, (number, Same(None))), [(1, None), (2.5, None)])
    True
    """
    classes = set(map(type, items))
    if isinstance(pattern, Row):
        if not classes <= {pattern.cls} or not set(map(len, items)) <= {len(pattern.parts)}:
            return False
        columns = zip(*items, strict=True)
        return all(surely_fit(part, column) for part, column in zip(pattern.parts, columns, strict=False))
    alternatives = pattern.alternatives if isinstance(pattern, OneOf) else (pattern,)
    known = {
        one.cls for one in alternatives if isinstance(one, Typed) and not isinstance(one.kind, ArrayType)
    }
    known |= {type(None) for one in alternatives if one == Same(None)}
    if not classes <= known:
        return False
    if int not in classes:
        return True
    ints = items if classes == {int} else [item for item in items if type(item) is int]
    return -(2**63) <= min(ints) and max(ints) < 2**63


#: classes of containers that a run may have as references
KINDS: tuple[type, ...] = (list, dict, set, deque, defaultdict, Counter, OrderedDict)


#: dicts whose changes are seen only where they are real ones
SPECIAL_DICTS = (defaultdict, Counter, OrderedDict)


# -- sets in the order of the one that a trace made ----------------------------------------------------


AnySet: TypeAlias = set[Any] | frozenset[Any]

#: members whose equals are as good, in every run of this process
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


def same_again(original: AnySet) -> Callable[[], AnySet] | None:
    """A function that makes sets like ``original``. None where an item is no plain value."""
    if not all(isinstance(item, _PLAIN) for item in original):
        return None
    kind: Any = frozenset if isinstance(original, frozenset) else set
    order = list(original)
    return functools.partial(kind, order if list(kind(order)) == order else set(original))
