"""Is what an array holds at some point still there in the end, when the backward part asks for it?

A value is *overwritten* after an operation where its memory may be written by a later one, or by any one of a
loop around both that does not make the memory anew in each iteration, or that hands it on to the next one.

Arrays that a loop fills in order: what it has read of them is not written any more.

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

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from runtime.graph.core import Graph
from runtime.graph.effects import NOTHING, Memory, Root, Roots, effects_of
from runtime.graph.item_places import ItemPlaces, Sum, sum_of
from runtime.graph.operations import Block, Operation, Value
from runtime.ops.definition import Dynamic
from runtime.ops.indexing import expand_index
from runtime.types import INT, ArrayType


def writes_arrays(op: Operation, memory: Memory) -> Roots:
    """The roots of the arrays that an operation may write."""
    effects = effects_of(op)
    if effects.ordered and (op.is_call or op.calls_python):  # no other ordered one writes arrays
        return memory.writes(op)
    targets = [op.inputs[k] for k in effects.writes if isinstance(op.inputs[k].type, ArrayType)]
    if not targets:
        return NOTHING
    return frozenset().union(*[memory.roots(target) for target in targets])


class Overwriting:
    """``called``: the graph is a function, whose caller may write what it was given afterwards."""

    def __init__(self, graph: Graph, memory: Memory, called: bool = False) -> None:
        self.memory = memory
        self._places: dict[Operation, int] = {}
        self._loops: dict[Operation, tuple[Operation, ...]] = {}
        self._ends: dict[Operation, int] = {}
        self._last: dict[Root, int] = {}
        self._writers: dict[Root, list[Operation]] = defaultdict(list)
        self._filling = Filling(graph)
        self._in_loops: dict[Root, set[Operation]] = defaultdict(set)
        self._kept_outside: set[Root] = {*memory.outside, *(graph.params if called else ())}
        self._called = called
        self._number(graph.body, ())
        for op, place in self._places.items():
            if not op.blocks:
                for root in writes_arrays(op, memory):
                    self._writers[root].append(op)
                    self._last[root] = max(place, self._last.get(root, -1))
                    self._in_loops[root].update(self._loops[op])

    def _number(self, block: Block, loops: tuple[Operation, ...]) -> None:
        for op in block.operations:
            self._places[op] = len(self._places)
            self._loops[op] = loops
            inner = (*loops, op) if op.is_loop else loops
            for nested in op.blocks:
                self._number(nested, inner)
            self._ends[op] = len(self._places)

    def knows(self, op: Operation) -> bool:
        """Is it an operation of the graph as it was when it was looked at?"""
        return op in self._places

    def after(self, value: Value, op: Operation, behind: bool = False) -> bool:
        """May the memory of ``value`` be written by ``op``, or by anything that runs after it? ``behind``: by
        what runs after it only."""
        roots = self.memory.roots(value)
        begin = self._ends[op] if behind else self._places[op]
        written = any(self._root_after(root, op, begin) for root in roots)
        return written and not self._is_filled(value, roots, op)

    def _is_filled(self, value: Value, roots: Roots, op: Operation) -> bool:
        """A table that is filled in order: are only other parts of the array written from ``op`` on?"""
        view = value.owner
        if view is None or not view.is_load or view.inputs[0] not in roots or len(roots) > 1:
            return False
        array = view.inputs[0]
        if self._called and array in self._kept_outside:
            return False
        around = [loop for loop in self._loops[op] if self._goes_on(array, loop)]
        if not around or self._made_in(array, around[0]):
            return False
        return all(self._is_apart(view, op, write, around[0]) for write in self._writers[array])

    def _is_apart(self, view: Operation, op: Operation, write: Operation, loop: Operation) -> bool:
        """``loop`` is the outermost one around ``op`` in whose later iterations the array may be written."""
        if loop not in self._loops[write]:
            return self._places[write] < self._places[loop]
        depth = len(self._loops[loop]) + 1
        shared = set(self._loops[op][depth:]) & set(self._loops[write][depth:])
        later = self._places[write] < self._places[op] and not shared
        return self._filling.are_apart(view, write, loop, later)

    def _root_after(self, root: Root, op: Operation, begin: int) -> bool:
        if self._called and root in self._kept_outside:
            return True
        if self._last.get(root, -1) >= begin:
            return True
        return any(self._goes_on(root, loop) for loop in self._loops[op])

    def _goes_on(self, root: Root, loop: Operation) -> bool:
        """May later iterations of a loop write the memory that one iteration has?"""
        if loop not in self._in_loops.get(root, ()):
            return False
        return not self._made_in(root, loop) or self._is_carried(root, loop)

    def _made_in(self, root: Root, loop: Operation) -> bool:
        maker = root.owner if isinstance(root, Value) else None
        return maker is not None and self._places[loop] < self._places.get(maker, -1) < self._ends[loop]

    def _is_carried(self, root: Root, loop: Operation) -> bool:
        """Has the next iteration what this one made?"""
        body = loop.blocks[-1]
        return any(root in self.memory.roots(result) for result in body.results)


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
