"""The flat values of what a program puts into an object, see ops/item_patterns.py.

>>> from runtime.types import FLOAT
>>> number = Typed(INT, int)
>>> types = parts_types(OneOf((number, Typed(FLOAT, float))))
>>> print(*types)
int int float
>>> parts_of(Row(tuple, (number, number)), (3, 4), Operation("list.new"))
[3, 4]
>>> refilled(Row(tuple, (number, number)), iter([0, 1]))
(Hole(0), Hole(1))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph.operators import Undefined
from runtime.graph import Operation
from runtime.graph.rewrite import constant_of
from runtime.ops.instances import real_class
from runtime.ops.item_patterns import OneOf, Pattern, Row, Same, Text, Typed, class_of
from runtime.ops.template import Hole, Make, is_more_than_items
from runtime.types import INT, OBJECT, ContainerType, InstanceType, Type, is_subtype, type_of

#: the classes of constants that are values of a graph
_CONSTANTS = (int, float, bool, complex, str)
#: the value of an alternative that is not the one
NOBODY_READS = object()


def parts_types(pattern: Pattern) -> list[Type]:
    """The types of the flat values of what fits a pattern."""
    if isinstance(pattern, OneOf):
        return [INT, *[kind for one in pattern.alternatives for kind in parts_types(one)]]
    if isinstance(pattern, Row):
        return [kind for part in pattern.parts for kind in parts_types(part)]
    return [pattern.kind] if isinstance(pattern, Typed) else []


def parts_of(pattern: Pattern, held: Any, op: Operation) -> list[Any] | None:
    """The flat values of a structure: holes for inputs of the operation, constants, and NOBODY_READS.

    None where it does not fit, as far as can be seen.
    """
    if isinstance(pattern, OneOf):
        return _parts_of_one(pattern, held, op)
    if isinstance(pattern, Row):
        if not isinstance(held, tuple) or type(held) is not pattern.cls or len(held) != len(pattern.parts):
            return None
        parts = [parts_of(part, one, op) for part, one in zip(pattern.parts, held, strict=True)]
        return None if None in parts else [one for part in parts if part for one in part]
    if isinstance(pattern, Same | Text):
        return [] if _is_same(known(held, op), pattern) else None
    fits = isinstance(pattern, Typed) and _is_of_type(held, pattern.kind, op)
    return [held] if fits else None


def _parts_of_one(pattern: OneOf, held: Any, op: Operation) -> list[Any] | None:
    found = [parts_of(one, held, op) for one in pattern.alternatives]
    tag = next((k for k, parts in enumerate(found) if parts is not None), None)
    if tag is None:
        return None
    flat: list[Any] = [tag]
    for k, one in enumerate(pattern.alternatives):
        flat += found[k] or [] if k == tag else [NOBODY_READS] * len(parts_types(one))
    return flat


def known(held: Any, op: Operation) -> Any:
    """What is put in, where that is a constant of the graph."""
    maker = constant_of(op.inputs[held.index]) if isinstance(held, Hole) else None
    return held if maker is None else maker.attributes["value"]


def _is_same(held: Any, pattern: Same | Text) -> bool:
    if isinstance(pattern, Text):
        return type(held) is str and held == pattern.value
    return held is pattern.value or (isinstance(held, Undefined) and isinstance(pattern.value, Undefined))


def _is_of_type(held: Any, kind: Type, op: Operation) -> bool:
    if isinstance(held, Hole):
        found = op.inputs[held.index].type
        is_reference = isinstance(found, ContainerType | InstanceType)
        return is_subtype(found, kind) if is_reference else found == kind
    return is_constant(held) and type_of(held) == kind


def is_constant(held: Any) -> bool:
    """Is it a constant that is a value of a graph?"""
    if type(held) is int:
        return -(2**63) <= held < 2**63
    return type(held) in _CONSTANTS or (isinstance(held, np.generic) and type_of(held) != OBJECT)


def kind_of(held: Any, op: Operation) -> Pattern | None:
    """Of what is put somewhere; None of what a run makes anew, such as a list."""
    if isinstance(held, Hole) and op.inputs[held.index].type == OBJECT:
        held = known(held, op)
    if isinstance(held, Hole):
        kind = op.inputs[held.index].type
        return Typed(kind, real_class(kind.cls) if isinstance(kind, InstanceType) else class_of(kind))
    if isinstance(held, tuple) and not is_more_than_items(held):
        parts = [kind_of(part, op) for part in held]
        return None if None in parts else Row(type(held), tuple(parts))  # type: ignore[arg-type]
    if isinstance(held, tuple | list | dict | slice | Make):
        return None
    return Typed(type_of(held), type(held)) if is_constant(held) else Same(held)


def can_be_refilled(pattern: Pattern) -> bool:
    """Is there one structure for all that fits? Not where only a run knows which of several it is."""
    if isinstance(pattern, Row):
        return all(map(can_be_refilled, pattern.parts))
    return isinstance(pattern, Typed | Same | Text)


def refilled(pattern: Pattern, holes: Iterator[int]) -> Any:
    """The structure that gives an item again, of its flat values in order."""
    if isinstance(pattern, Row):
        parts = [refilled(part, holes) for part in pattern.parts]
        return tuple(parts) if pattern.cls is tuple else tuple.__new__(pattern.cls, parts)
    assert isinstance(pattern, Typed | Same | Text), pattern
    return Hole(next(holes)) if isinstance(pattern, Typed) else pattern.value
