"""Is what an array holds at some point still there in the end, when the backward part asks for it?

A value is *overwritten* after an operation where its memory may be written by a later one, or by any one of a
loop around both that does not make the memory anew in each iteration, or that hands it on to the next one.
"""

from __future__ import annotations

from collections import defaultdict

from runtime.graph.core import Graph
from runtime.graph.effects import NOTHING, Memory, Root, Roots, effects_of
from runtime.graph.filling import Filling
from runtime.graph.operations import Block, Operation, Value
from runtime.types import ArrayType


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
