"""Which lists, dicts and sets from outside are *data*: a run knows how many items they have, and which.

A trace knows a short container item by item. A longer one, or a list of lists of numbers, begins as a
container of the run: one input, under one guard that each item is of a kind that the trace knows. Then one
trace serves all lengths. Where the program needs the items one by one after all (it unpacks them, makes a
shape of one, asks for a gradient with respect to them), the trace begins again with this container known
item by item (`Decisions.item_by_item`), as are those that hold what no run tells apart: functions, layers,
arrays of several shapes.

>>> [Look(lambda cls: True).admits(items) for items in ([0.5], ["a", (1, None)], [print], [2**70])]
[True, True, False, False]
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from runtime.ops.instances import attributes, is_user_instance
from runtime.ops.item_patterns import KINDS
from runtime.specs.spec import Leaf, Spec, Tuple, Variant
from runtime.types import ContainerType, is_supported_dtype

#: a trace knows a container from outside item by item up to this length
MAX_KNOWN = 32
#: and a text up to this one
MAX_KNOWN_TEXT = 200
#: so deep may tuples and containers lie within each other
MAX_DEPTH = 8
_PLAIN = frozenset({float, complex, bool, str, type(None)})
_INT64 = range(-(2**63), 2**63)


def is_long(value: Any) -> bool:
    """Is it a container that a trace would rather not know item by item: a long one, or a table?"""
    return type(value) in KINDS and (len(value) > MAX_KNOWN or _is_table(value))


def _is_table(value: Any) -> bool:
    """Is it a list of lists, in which numbers come first?"""
    if type(value) is not list or {*map(type, value)} != {list}:
        return False
    return type(next((row[0] for row in value if row), None)) in (int, float, bool)


class Look:
    """One look at a container and all that it refers to."""

    def __init__(self, can_be_reference: Callable[[type], bool]) -> None:
        self._can_be_reference = can_be_reference
        self.classes: dict[type, None] = {}  # of the user's objects, in the order of appearance
        self.members: dict[int, enum.Enum] = {}
        self._shapes: dict[tuple[np.dtype, int], tuple[int, ...]] = {}
        self._objects: dict[int, Any] = {}  # which may refer to each other in a circle
        self._waiting: list[Any] = []

    def admits(self, value: Any) -> bool:
        """Is it, and all that it refers to, of known kinds?"""
        if not self._is_known(value, 0):
            return False
        while self._waiting:
            held = attributes(self._waiting.pop()).values()
            if not all(self._is_known(item, 0) for item in held):
                return False
        return True

    def _is_known(self, value: Any, depth: int) -> bool:
        kind = type(value)
        if kind in _PLAIN:
            return True
        if kind is int:
            return value in _INT64
        if kind is np.ndarray:
            shape = self._shapes.setdefault((value.dtype, value.ndim), value.shape)
            return is_supported_dtype(value.dtype) and shape == value.shape
        if isinstance(value, np.generic):
            return is_supported_dtype(value.dtype)
        if kind is tuple or hasattr(kind, "_make") or kind in KINDS:
            keys = value if isinstance(value, dict | set) else ()
            parts = (value, value.values()) if isinstance(value, dict) else (value,)
            is_inside = depth < MAX_DEPTH and all(map(_is_key, keys))
            return is_inside and all(self._all(part, depth + 1) for part in parts)
        if isinstance(value, enum.Enum):
            self.members[id(value)] = value
            return True
        return self._object(value)

    def _all(self, items: Collection[Any], depth: int) -> bool:
        kinds = {*map(type, items)}
        if kinds <= _PLAIN:
            return True
        if kinds == {int}:
            return min(items) in _INT64 and max(items) in _INT64
        return all(self._is_known(item, depth) for item in items)

    def _object(self, value: Any) -> bool:
        """Is it an instance of a user's class that a run may have by reference?"""
        if id(value) not in self._objects:
            cls = type(value)
            if not is_user_instance(value) or isinstance(value, type) or not self._can_be_reference(cls):
                return False
            self._objects[id(value)] = value
            self._waiting.append(value)
            self.classes.setdefault(cls)
        return True


def _is_key(value: Any) -> bool:
    """Does a dict or a set of a run find it as Python does, with no code of the user's?"""
    return all(map(_is_key, value)) if type(value) is tuple else not is_user_instance(value)


def parts_of(spec: Spec | None) -> tuple[Spec | None, ...]:
    """What a spec is made of: items of a tuple, kinds of a choice, what a container has as keys and items."""
    if isinstance(spec, Tuple):
        return spec.items
    if isinstance(spec, Variant):
        return spec.alternatives
    if isinstance(spec, Leaf) and isinstance(spec.type, ContainerType):
        return spec.type.key, spec.type.element
    return ()
