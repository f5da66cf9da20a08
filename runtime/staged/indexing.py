"""From the key of ``x[key]`` to the attribute and the dynamic inputs of ``getitem`` and ``setitem``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.control_flow.choices import certain, dispatch
from runtime.ops import indexing
from runtime.specs.spec import Leaf, kinds_of
from runtime.staged import list_arrays
from runtime.staged.operands import ArrayHolder, Boxed, apply, array_of, is_range, operand
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice
from runtime.types import INT, ArrayType, ContainerType


def with_certain_key(key: Any, use: Callable[[Any], Any]) -> Any:
    """``use(key)`` of whichever key it is at run time: an index, or a bound of a slice, may be a choice."""
    parts = key if isinstance(key, tuple) else (key,)
    for position, part in enumerate(parts):

        def with_part(one: Any, position: int = position) -> Any:
            made = (*parts[:position], one, *parts[position + 1 :])
            return with_certain_key(made if isinstance(key, tuple) else one, use)

        if isinstance(part, Choice):
            return dispatch(certain(part), with_part)
        if isinstance(part, slice):
            bounds = (part.start, part.stop, part.step)
            if any(isinstance(bound, Choice) for bound in bounds):
                return with_certain_key(bounds, lambda certain_bounds: with_part(slice(*certain_bounds)))
    return use(key)


def is_chosen_key(key: Any) -> bool:
    """Is an index, or a bound of a slice, one of several?"""
    bounds = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
    return any(isinstance(bound, Choice) for bound in bounds)


class SplitIndex:
    """The static form of a key, and the staged values that it mentions, in order."""

    def __init__(self, key: Any) -> None:
        if isinstance(key, Staged) and isinstance(key.type, ContainerType) and key.type.name == "tuple":
            raise refuse(
                "an array is indexed, axis by axis, with a tuple of which only a run knows the length",
                "write `i, j = t` and `x[i, j]`; to take several items of the first axis, `x[list(t)]`",
            )
        self.dynamic: list[Any] = []
        items = key if isinstance(key, tuple) else (key,)
        self.index = tuple([self._item(item) for item in items])

    def _dynamic(self, value: Any) -> indexing.Dynamic:
        self.dynamic.append(value)
        return indexing.Dynamic(len(self.dynamic) - 1)

    def _item(self, item: Any) -> Any:
        if item is None or item is Ellipsis:
            return item
        if type(item) is int:
            return self._integer(item)
        if isinstance(item, slice):
            return slice(self._bound(item.start), self._bound(item.stop), self._bound(item.step))
        if isinstance(item, list | tuple | range) or list_arrays.is_list(item):
            return self._dynamic(_index_of(item))
        if isinstance(item, Staged):
            return self._dynamic(item)
        if isinstance(item, bool | np.bool_):
            return self._dynamic(bool(item))
        if is_range(item):
            raise refuse(
                "an array is indexed with a range of which only a run knows the length",
                "write np.arange(...)",
            )
        if isinstance(item, np.ndarray | Boxed | ArrayHolder):
            return self._item(operand(item))
        return self._integer(item)

    def _bound(self, bound: Any) -> Any:
        if bound is None or type(bound) is int:
            return bound
        if isinstance(bound, ArrayHolder | Boxed):
            bound = operand(bound)
        if isinstance(bound, Staged):
            is_array = isinstance(bound.type, ArrayType)
            return self._dynamic(apply("py.index", [bound]) if is_array else bound)
        try:
            return operator.index(bound)
        except TypeError:
            raise TypeError("slice indices must be integers or None or have an __index__ method") from None

    def _integer(self, item: Any) -> int:
        try:
            number = operator.index(item)
        except TypeError:
            raise IndexError(indexing.WRONG_INDEX) from None
        if not -(2**63) <= number < 2**63:
            raise refuse("an index has more than 64 bits", "use a smaller one")
        return number


def stored_sequence(array: Any, split: SplitIndex, value: Any) -> Any:
    """What ``array[...] = value`` stores of a list, a tuple or a range.

    Refused where it has more dimensions than the place, of which NumPy would not broadcast it.
    """
    types = [item.type for item in split.dynamic if isinstance(item, Staged)]
    stored = array_of(value, None if isinstance(value, Staged) else array.dtype)
    if len(types) == len(split.dynamic) and indexing.is_basic(split.index, types):
        rank = len(indexing.indexed_shape(array.type.shape, split.index, types))
        if len(stored.type.shape) > rank:
            raise refuse(
                f"a list of {len(stored.type.shape)} dimensions is stored where an array has {rank}",
                "store a list, or a number, of the dimensions of the place",
            )
    return stored


def is_sequence_of_items(value: Any) -> bool:
    """Is it a list, which only a run may know, a tuple or a range?"""
    known = isinstance(value, Staged) and isinstance(value.type, ContainerType) and value.type.name == "list"
    return known or isinstance(value, list | tuple | range)


def _index_of(items: Any) -> Any:
    """The index array of a list or a range: of integers where there are no items.

    One of other numbers is no index at all.
    """
    intp = np.dtype(np.intp)
    if isinstance(items, Staged):
        whole = all(isinstance(kind, Leaf) and kind.type == INT for kind in kinds_of(items.element))  # type: ignore[attr-defined]
        array = list_arrays.joined("array", items, **({"dtype": intp} if whole else {}))
    else:
        array = array_of(items, None if len(items) else intp)
    if 0 in array.type.shape:
        return apply("astype", [array], dtype=intp)
    if array.dtype.kind not in "biu":
        raise IndexError(indexing.WRONG_INDEX)
    return array
