"""``x.flat`` of a staged array: iterated over, read and written item by item in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.iteration.indexed import Indexed
from runtime.iteration.item_iterators import ItemIterator
from runtime.staged.indexing import SplitIndex
from runtime.staged.needed_now import StagedData
from runtime.staged.objects import refuse_methods
from runtime.staged.operands import apply, operand
from runtime.tracer.builder import emit, refuse


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
        split = self._split(place)
        return apply("flat_getitem", [self.array, *split.dynamic], index=split.index)

    def __getitem__(self, key: Any) -> Any:
        self.spend()
        return self._at(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.spend()
        split = self._split(key)
        emit("flat_setitem", [self.array, operand(value), *map(operand, split.dynamic)], index=split.index)

    def _split(self, key: Any) -> SplitIndex:
        if not isinstance(key, int | slice | StagedData) or bool(getattr(key, "ndim", 0)):
            raise self.unknown(f"index, by a {type(key).__name__},")
        return SplitIndex(key)

    def unknown(self, what: str) -> Exception:
        return refuse(f"you {what} x.flat", "write x.ravel()")


refuse_methods(
    StagedFlat,
    {"len": "ask for the length of", "bool": "ask for the truth of"}
    | dict.fromkeys("eq ne lt le gt ge".split(), "compare"),
)
