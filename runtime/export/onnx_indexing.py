"""``x[index]`` in ONNX: slices first, then integers, arrays and masks, then new axes."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.export.onnx_nodes import NotExportable
from runtime.ops.indexing import Dynamic, consumed, is_mask

if TYPE_CHECKING:
    from runtime.export.onnx_nodes import Call

INT64 = np.dtype("int64")
_ENDS = np.iinfo(np.int64)


def getitem(c: Call) -> str:
    """The result of a ``getitem``."""
    return indexed(c, c.input(0), c.attributes["index"], 1)


def indexed(c: Call, x: str, index: tuple[Any, ...], first: int) -> str:
    """Items of ``x``, which has the rank of operand 0; ``first`` is the place of dynamic input 0."""
    return _Indexing(c, x, index, first).result()


class _Indexing:
    def __init__(self, c: Call, x: str, index: tuple[Any, ...], first: int) -> None:
        self.c = c
        self.x = x
        self.first = first
        self.types = c.types[first:]
        self.items = self._without_ellipsis(index, c.ndim())

    def _without_ellipsis(self, index: tuple[Any, ...], ndim: int) -> list[Any]:
        used = sum(consumed(item, self.types) for item in index)
        rest = [slice(None)] * (ndim - used)
        if not any(item is Ellipsis for item in index):
            return [*index, *rest]
        at = next(k for k, item in enumerate(index) if item is Ellipsis)
        return [*index[:at], *rest, *index[at + 1 :]]

    def result(self) -> str:
        self._slice()
        advanced = [item for item in self.items if self._is_array(item)]
        if any(is_mask(self.types[item.index]) for item in advanced):
            return self._masked()
        return self._new_axes(self._gathered() if advanced else self._integers())

    def _is_array(self, item: Any) -> bool:
        if not isinstance(item, Dynamic):
            return False
        found = self.types[item.index]
        return found.ndim > 0 or is_mask(found)

    def _number(self, item: Any) -> str:
        if isinstance(item, Dynamic):
            return self.c.input(self.first + item.index, INT64)
        return self.c.number(int(item), INT64)

    def _slice(self) -> None:
        """One Slice for all slices that leave something out."""
        axis, parts = 0, []
        for item in self.items:
            if isinstance(item, slice) and item != slice(None):
                parts.append((axis, item))
            axis += consumed(item, self.types)
        if not parts:
            return
        bounds: list[list[str]] = [[], [], []]
        for _, item in parts:
            step = self._number(item.step or 1)
            start = self._end(item.step, 0, _ENDS.max) if item.start is None else self._number(item.start)
            stop = (
                self._end(item.step, _ENDS.max, _ENDS.min) if item.stop is None else self._number(item.stop)
            )
            for place, bound in zip(bounds, (start, stop, step), strict=True):
                place.append(self.c.nodes.vector(bound))
        starts, stops, steps = (
            names[0] if len(names) == 1 else self.c.emit("Concat", *names, axis=0) for names in bounds
        )
        axes = self.c.nodes.ints(*[axis for axis, _ in parts])
        self.x = self.c.emit("Slice", self.x, starts, stops, axes, steps)

    def _end(self, step: Any, forwards: int, backwards: int) -> str:
        """Where a slice begins or ends that does not say it: at one end of the axis, as its step goes."""
        if not isinstance(step, Dynamic):
            return self._number(backwards if step is not None and step < 0 else forwards)
        down = self.c.emit("Less", self._number(step), self._number(0))
        return self.c.emit("Where", down, self._number(backwards), self._number(forwards))

    def _integers(self) -> str:
        """Numbers take their axes away, the last one first."""
        x, axis = self.x, sum(consumed(item, self.types) for item in self.items)
        for item in reversed(self.items):
            axis -= consumed(item, self.types)
            if item is not None and not isinstance(item, slice):
                x = self.c.emit("Gather", x, self._number(item), axis=axis)
        return x

    def _gathered(self) -> str:
        """Index arrays, and the numbers beside them, which broadcast with them."""
        items = [item for item in self.items if item is not None]
        axes = [k for k, item in enumerate(items) if not isinstance(item, slice)]
        if any(item is None for item in self.items):
            raise NotExportable("an index with both arrays and np.newaxis has no form")
        names = [self._number(items[k]) for k in axes]
        if len(axes) == 1:
            return self.c.emit("Gather", self.x, names[0], axis=axes[0])
        rank = max(self.types[items[k].index].ndim if isinstance(items[k], Dynamic) else 0 for k in axes)
        shape = self.c.nodes.shape(reduce(lambda a, b: self.c.emit("Add", a, b), names))
        columns = [
            self.c.emit("Unsqueeze", self.c.emit("Expand", name, shape), self.c.nodes.ints(-1))
            for name in names
        ]
        rest = [k for k in range(len(items)) if k not in axes]
        front = self.c.emit("Transpose", self.x, perm=[*axes, *rest])
        found = self.c.emit("GatherND", front, self.c.emit("Concat", *columns, axis=-1))
        if axes != list(range(axes[0], axes[0] + len(axes))) or axes[0] == 0:
            return found
        before = len([k for k in rest if k < axes[0]])
        order = [*range(rank, rank + before), *range(rank), *range(rank + before, rank + len(rest))]
        return self.c.emit("Transpose", found, perm=order)

    def _masked(self) -> str:
        """One mask, over the first dimensions or one dimension."""
        arrays = [item for item in self.items if not isinstance(item, slice)]
        if len(arrays) != 1:
            raise NotExportable("a mask beside other indices has no form")
        ndim = self.types[arrays[0].index].ndim
        mask = self.c.raw(self.first + arrays[0].index)
        axis = next(k for k, item in enumerate(self.items) if not isinstance(item, slice))
        if ndim == 1:
            return self.c.emit("Compress", self.x, mask, axis=axis)
        if axis or ndim == 0:
            raise NotExportable("a mask of several dimensions behind others has no form")
        ints = self.c.nodes.ints
        rest = self.c.emit("Slice", self.c.nodes.shape(self.x), ints(ndim), ints(_ENDS.max))
        rows = self.c.emit("Reshape", self.x, self.c.emit("Concat", ints(-1), rest, axis=0))
        return self.c.emit("Compress", rows, self.c.nodes.flat(mask), axis=0)

    def _new_axes(self, x: str) -> str:
        if not any(item is None for item in self.items):
            return x
        kept = [item for item in self.items if item is None or isinstance(item, slice)]
        axes = [k for k, item in enumerate(kept) if item is None]
        return self.c.emit("Unsqueeze", x, self.c.nodes.ints(*axes))
