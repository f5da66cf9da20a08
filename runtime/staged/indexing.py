"""From the key of ``x[key]`` to the attribute and the dynamic inputs of ``getitem`` and ``setitem``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.indexing import WRONG_INDEX, Dynamic
from runtime.staged.operands import Boxed, is_range, operand, refuse
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice, Leaf, kinds_of
from runtime.types import INT, ArrayType, ContainerType


def with_certain_key(key: Any, use: Callable[[Any], Any]) -> Any:
    """``use(key)`` of whichever key it is at run time: an index, or a bound of a slice, may be a choice."""
    from runtime.control_flow.choices import certain, dispatch

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

    def _dynamic(self, value: Any) -> Dynamic:
        self.dynamic.append(value)
        return Dynamic(len(self.dynamic) - 1)

    def _item(self, item: Any) -> Any:
        if item is None or item is Ellipsis:
            return item
        if type(item) is int:
            return item
        if isinstance(item, slice):
            return slice(self._bound(item.start), self._bound(item.stop), self._bound(item.step))
        if isinstance(item, Staged) and isinstance(item.type, ContainerType):
            return self._dynamic(_index_of_list(item))
        if isinstance(item, Staged):
            return self._dynamic(item)
        if isinstance(item, bool | np.bool_):
            return self._dynamic(bool(item))
        if isinstance(item, list | tuple | range):
            return self._dynamic(_index_array(item))
        if is_range(item):
            raise refuse(
                "an array is indexed with a range of which only a run knows the length",
                "write np.arange(...)",
            )
        if isinstance(item, np.ndarray | Boxed):
            return self._item(operand(item))
        return self._integer(item)

    def _bound(self, bound: Any) -> Any:
        if bound is None or type(bound) is int:
            return bound
        if isinstance(bound, Staged):
            if isinstance(bound.type, ArrayType):
                return self._dynamic(_as_python_index(bound))
            return self._dynamic(bound)
        if isinstance(bound, Boxed):
            return self._bound(bound.numpy())  # type: ignore[attr-defined]
        try:
            return operator.index(bound)
        except TypeError:
            raise TypeError("slice indices must be integers or None or have an __index__ method") from None

    def _integer(self, item: Any) -> int:
        try:
            return operator.index(item)
        except TypeError:
            raise IndexError(_words_about(item)) from None


def _words_about(item: Any) -> str:
    """What NumPy says of an index that is none."""
    try:
        np.zeros(1)[item]
    except IndexError as error:
        return str(error)
    return f"invalid index {item!r}"


def _as_python_index(array: Any) -> Any:
    from runtime.staged.operands import apply

    return apply("py.index", [array])


def _index_of_list(items: Any) -> Any:
    """The index array of a list that a run knows. One without items is an array of integers."""
    from runtime.numpy_calls.list_arrays import joined

    whole = all(isinstance(kind, Leaf) and kind.type == INT for kind in kinds_of(items.element))
    return _as_index(joined("array", items, **({"dtype": np.dtype(np.intp)} if whole else {})))


def _index_array(items: Any) -> Any:
    from runtime.numpy_calls.creation import array_of

    return _as_index(array_of(items, dtype=None if len(items) else np.dtype(np.intp)))


def _as_index(array: Any) -> Any:
    """What was not an array before: an empty one is of integers, one of other numbers is no index at all."""
    from runtime.staged.operands import apply

    if 0 in array.type.shape:
        return apply("astype", [array], dtype=np.dtype(np.intp))
    if array.dtype.kind not in "biu":
        raise IndexError(WRONG_INDEX)
    return array
