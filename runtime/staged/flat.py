"""``x.flat`` of a staged array: read, written and iterated over, item by item in C order."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from runtime.iteration.indexed import Indexed
from runtime.iteration.item_iterators import ItemIterator
from runtime.staged.indexing import SplitIndex
from runtime.staged.operands import apply, operand
from runtime.tracer.builder import Staged, emit, refuse


class StagedFlat(ItemIterator):
    """The items of ``array``. What an iteration sees is what the array holds then, as in NumPy.

    As NumPy's, it is used up once. NumPy's begins anew where it is indexed; to iterate over this one after
    that is refused.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        source = Indexed((0, array.size, 1), self._at, "this flat iterator")
        super().__init__(array.builder, source, np.flatiter)

    def _at(self, place: Any) -> Any:
        split = SplitIndex(place)
        return apply("flat_getitem", [self.array, *split.dynamic], index=split.index)

    def __getitem__(self, key: Any) -> Any:
        self.spend()
        split = self._split(key)
        return apply("flat_getitem", [self.array, *split.dynamic], index=split.index)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.spend()
        split = self._split(key)
        inputs = [self.array, operand(value), *map(operand, split.dynamic)]
        emit("flat_setitem", inputs, index=split.index)

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

    def _compared(self, other: Any) -> NoReturn:
        raise refuse("x.flat is compared with something", "compare x.ravel()")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared
    __hash__ = None  # type: ignore[assignment]
