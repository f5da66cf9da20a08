"""Arrays that a loop fills in order: what it has read of them is not written any more.

``keys[t] = ...`` and then ``keys[: t + 1]``; ``k[i, j] = ...`` and ``k[i, :j]`` in a loop over ``j``.
Along one axis the part that is read ends where the loop's counter says, and what is written then or
later begins there.

>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph f(x: f64[9]) -> ():
...     for i: int in range(0, 9, 1):
...         x[i] = 1.0
...         n: int = py.add(i, 1)
...         before: f64[None] = x[:n]
...     return
... ''')
>>> (loop,) = [op for op in graph.body.operations if op.is_counted]
>>> write, view = [op for op in graph.operations() if op.is_item]
>>> filling = Filling(graph)
>>> filling.are_apart(view, write, loop, later=True), filling.are_apart(view, write, loop, later=False)
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.graph.core import Graph
from runtime.graph.item_places import ItemPlaces, Sum, sum_of
from runtime.graph.operations import Operation, Value
from runtime.ops.definition import Dynamic
from runtime.ops.indexing import expand_index
from runtime.types import INT, ArrayType


class Filling:
    """Which parts of arrays are written in which iterations of a loop, in one graph as it stands."""

    def __init__(self, graph: Graph) -> None:
        self.places = ItemPlaces(graph)

    def are_apart(self, view: Operation, write: Operation, loop: Operation, later: bool) -> bool:
        """Is the part of an array that an iteration sees as ``view`` surely another one than all that
        ``write`` writes in this iteration and in later ones? ``later``: in later ones only."""
        target = write if write.is_store else write.inputs[0].owner
        if not write.has("store") or target is None:
            return False
        if not target.is_item or target.inputs[0] is not view.inputs[0]:
            return False
        step = sum_of(loop.inputs[2]) if loop.is_counted else None
        if step is None or step.base is not None or step.offset <= 0:
            return False
        counter, ahead = loop.blocks[-1].params[0], step.offset if later else 0
        for seen, written in zip(_parts(view), _parts(target), strict=False):
            end, start = self._end(seen, counter), self._start(written, counter)
            if end is not None and start is not None and start.offset + ahead >= end.offset:
                return True
        return False

    def _end(self, part: Any, counter: Value) -> Sum | None:
        """The counter plus a number, below which all places of a part of an axis are."""
        if isinstance(part, Sum):
            return self._bound(part._replace(offset=part.offset + 1), counter, self.places.most, part)
        if part is None or part[1] is None:
            return None
        return self._bound(part[1], counter, self.places.most, part[1])

    def _start(self, part: Any, counter: Value) -> Sum | None:
        """The counter plus a number, which all places of a part of an axis are at or above."""
        first = part if part is None or isinstance(part, Sum) else part[0]
        return None if first is None else self._bound(first, counter, self.places.least, first)

    def _bound(self, place: Sum, counter: Value, further: Any, natural: Sum) -> Sum | None:
        """Negative places count from the end: nothing is known of them."""
        if not self.places.is_natural(natural):
            return None
        found: Sum | None = place
        while found is not None and found.base is not counter:
            found = further(found)
        return found


def _parts(op: Operation) -> list[Any]:
    """For each axis of an array the place that is read or written, or the first and the end of a slice; None
    for other accesses."""
    array, dynamic = op.inputs[0].type, op.indices
    assert isinstance(array, ArrayType)
    items = expand_index(op.attributes["index"], array.ndim, [v.type for v in dynamic])
    found = [_part(item, dynamic) for item in items if item is not None]
    return found if len(found) == array.ndim else []


def _part(item: Any, dynamic: Sequence[Value]) -> Any:
    if not isinstance(item, slice):
        return _place(item, dynamic)
    if item.step is not None and (type(item.step) is not int or item.step <= 0):
        return None
    return _place(item.start, dynamic), _place(item.stop, dynamic)


def _place(item: Any, dynamic: Sequence[Value]) -> Sum | None:
    if type(item) is int:
        return Sum(None, item)
    if isinstance(item, Dynamic) and dynamic[item.index].type == INT:
        return sum_of(dynamic[item.index])
    return None
