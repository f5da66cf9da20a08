"""``x.flat`` of a staged array: read, written and iterated over, item by item in C order."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.iteration.indexed import Indexed
from runtime.iteration.item_iterators import ItemIterator
from runtime.staged.indexing import SplitIndex
from runtime.staged.operands import apply, operand
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.types import ArrayType, ScalarType


class StagedFlat(ItemIterator):
    """The items of ``array``. What an iteration sees is what the array holds then, as in NumPy.

    As NumPy's, it is used up once, and begins anew where it is indexed.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        source = Indexed((0, array.size, 1), self._at, "this flat iterator")
        super().__init__(array.builder, source, "flatiter", np.flatiter, None)

    def _at(self, place: Any) -> Any:
        split = SplitIndex(place)
        return apply("flat_getitem", [self.array, *split.dynamic], index=split.index)

    def _begin_anew(self) -> None:
        if self.is_here():
            self.bounds, self._lost = (0, self.array.size, 1), False
        else:
            self._lost = True

    def __getitem__(self, key: Any) -> Any:
        self._begin_anew()
        split = self._split(key)
        return apply("flat_getitem", [self.array, *split.dynamic], index=split.index)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._begin_anew()
        split = self._split(key)
        inputs = [self.array, operand(value), *map(operand, split.dynamic)]
        emit("flat_setitem", inputs, index=split.index)
        if any(getattr(item, "ndim", 0) and item.dtype.kind in "iu" for item in split.dynamic):
            self.spend()  # NumPy's stands at the last index then

    def __len__(self) -> int:  # type: ignore[override]
        size = self.array.size
        if isinstance(size, Staged):
            raise refuse("the length of this array is known only at run time", "use x.size")
        return size

    def __bool__(self) -> bool:
        return len(self) > 0

    def _split(self, key: Any) -> SplitIndex:
        if isinstance(key, tuple) or key is None:
            raise IndexError("unsupported iterator index")
        split = SplitIndex(key)
        if any(getattr(item, "ndim", 0) > 1 for item in split.dynamic):
            raise refuse("x.flat with an index array of several dimensions", "write x.ravel()[index]")
        return split

    def __getattr__(self, name: str) -> Any:
        if name in ("base", "coords", "copy", "index"):
            raise refuse(f"`{name}` of x.flat has no staged form", "use x, x.ravel(), or count in the loop")
        return super().__getattr__(name)


def _comparing(name: str) -> Any:
    def compare(self: StagedFlat, other: Any) -> Any:
        return getattr(operator, name)(self.array.ravel(), _items(other))

    return compare


def _reflected(name: str) -> Any:
    """Arrays take a flat iterator as the array of its items; so do NumPy's scalars, but no Python number."""

    def apply_to(self: StagedFlat, other: Any) -> Any:
        if not isinstance(other, np.generic) and not isinstance(
            type_of_staged(other), ArrayType | ScalarType
        ):
            return NotImplemented
        return getattr(operator, name)(other, self.array.ravel())

    return apply_to


def _items(value: Any) -> Any:
    return value.array.ravel() if isinstance(value, StagedFlat) else value


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(StagedFlat, f"__{_name}__", _comparing(f"__{_name}__"))
for _name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
    setattr(StagedFlat, f"__r{_name}__", _reflected(f"__{_name}__"))
StagedFlat.__hash__ = None  # type: ignore[assignment]
