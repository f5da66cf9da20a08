"""Which objects a graph can do without, and which of their attributes change where.

An object is *local* where nobody sees it but loads of, and stores to, its attributes. What is read must be
known where it is read, and be of one kind wherever it is stored.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, TypeAlias

from runtime.graph import Block, Graph, Operation, Value
from runtime.passes.aggregates.parts import can_be_refilled, kind_of, parts_of, parts_types
from runtime.passes.aggregates.webs import Web, Webs, arguments_of, name_of
from runtime.types import Type

#: attributes that change, in the order in which they do
Places: TypeAlias = "dict[tuple[Value, str], None]"


class LocalObjects:
    """``local``: the webs that go, by each value that is one of them."""

    def __init__(self, graph: Graph) -> None:
        self.webs = Webs(graph)
        self._accesses = {op: web for web in self.webs if web.makes for op in web.accesses}
        self._handed_on: dict[Operation, Places] = {}
        #: attributes of which nobody knows what they hold, from some point on
        self._lost: dict[Web, set[str]] = {web: set() for web in self.webs}
        self._walk(graph.body)
        found = set(filter(self._is_local, self.webs))
        self.local = {value: web for value, web in self.webs.of.items() if web in found}

    def accesses(self, op: Operation) -> bool:
        """Is an attribute loaded or stored of something that goes?"""
        return op in self._accesses and op.inputs[0] in self.local

    def changed(self, op: Operation) -> dict[Hashable, tuple[str, list[Type]]]:
        """The attributes that change in the blocks of an operation, and are variables."""
        return {
            (owner, name): (hint_of(name), parts_types(self.local[owner].kinds[name]))
            for owner, name in self._handed_on.get(op, ())
            if owner in self.local and name in self.local[owner].kinds
        }

    # -- what changes -----------------------------------------------------------------------------------

    def _walk(self, block: Block) -> Places:
        """The attributes that change in a block, of what was there before."""
        changed: Places = {}
        for op in block.operations:
            if op.blocks:
                changed |= self._inside(op)
            elif op.is_attribute_store and op in self._accesses:
                owner, name, web = op.inputs[0], name_of(op), self._accesses[op]
                assert name is not None
                changed[owner, name] = None
                if web.values > 1:  # to which of them, only a run knows
                    self._lost[web].add(name)
        born = {value for op in block.operations for value in op.outputs}
        return {place: None for place in changed if place[0] not in born}

    def _inside(self, op: Operation) -> Places:
        """What changes in the blocks of an operation, of which some may be left in the middle."""
        changed: Places = {}
        handed_on: Places = {}
        for block in op.blocks:
            places = self._walk(block)
            changed |= places
            if op.is_try or block in op.handing_on:
                handed_on |= places if op.is_try or block.ends == "yield" else {}
            else:
                for owner, name in places:
                    self._lost[self.webs[owner]].add(name)
        self._handed_on[op] = handed_on
        return changed

    # -- is it local? -----------------------------------------------------------------------------------

    def _is_local(self, web: Web) -> bool:
        if web.escapes or not web.makes or not self._has_kinds(web):
            return False
        if web.returned and not self._is_better_made_at_the_end(web):
            return False
        return self._lost[web].isdisjoint(web.kinds) and self._fits(web)

    def _is_better_made_at_the_end(self, web: Web) -> bool:
        """Is it known what it holds when it is returned, and is something done to it before?"""
        if web.returned > 1 or not (web.accesses or web.values > 1):
            return False
        first, *others = [list(held_by(make)) for make in web.makes]
        return all(first == other for other in others) and web.kinds.keys() <= set(first)

    def _has_kinds(self, web: Web) -> bool:
        """Find out what is read; of what is returned, all. False where that is not known."""
        for op in web.accesses:
            if op.is_attribute_load:
                read, kind = name_of(op), op.attributes["reader"].pattern
                assert read is not None
                if parts_types(kind) != [value.type for value in op.outputs]:
                    return False
                if web.kinds.setdefault(read, kind) != kind:
                    return False
        for name, held, op in self._put_in(web) if web.returned else ():
            kind_here = web.kinds.get(name) or kind_of(held, op)
            if kind_here is None or web.kinds.setdefault(name, kind_here) != kind_here:
                return False
        return not web.returned or all(map(can_be_refilled, web.kinds.values()))

    def _fits(self, web: Web) -> bool:
        """Is all that is put in, where somebody reads it, of the kind that is read?"""
        put_in = list(self._put_in(web))
        stored = {name for name, _, op in put_in if not op.makes_object}
        return all(
            parts_of(web.kinds[name], held, op) is not None for name, held, op in put_in if name in web.kinds
        ) and all(web.kinds.keys() <= held_by(make).keys() | stored for make in web.makes)

    def _put_in(self, web: Web) -> Iterator[tuple[str, Any, Operation]]:
        """The name, the structure and by whom, of all that is put in."""
        for make in web.makes:
            for name, held in held_by(make).items():
                yield name, held, make
        for op in web.accesses:
            stored = name_of(op) if op.is_attribute_store else None
            if stored is not None:
                yield stored, arguments_of(op)[2], op


def held_by(make: Operation) -> dict[str, Any]:
    """The attributes of a new object: structures by names."""
    held: dict[str, Any] = make.attributes["template"].structure
    return held


def hint_of(name: str) -> str:
    """What the variables are called that hold an attribute."""
    return name if name.isidentifier() else ""
