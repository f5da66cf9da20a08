"""Which objects and containers a graph can do without.

An aggregate is *local* where nobody sees it but operations of which it is known what they do, and that they
do not raise. What is read of it must be known where it is read, and be of one kind wherever it is put in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from runtime.graph import Graph, Operation, Value
from runtime.ops.item_patterns import Pattern
from runtime.passes.aggregates.accesses import NOTHING, SOMEWHERE, Access, Stored
from runtime.passes.aggregates.flow import Flow
from runtime.passes.aggregates.parts import can_be_refilled, kind_of, parts_of, parts_types
from runtime.passes.aggregates.shapes import held_by_new
from runtime.passes.aggregates.webs import Web, Webs
from runtime.types import ContainerType, Type

#: no more items of one container become variables
MAX_VARIABLES = 64


class LocalAggregates:
    """``local``: the webs that go, by each value that is one of them."""

    def __init__(self, graph: Graph) -> None:
        self.webs = Webs(graph)
        self.flow = Flow(graph, self.webs)
        self._local: set[Web] = set()
        for web in reversed(list(self.webs)):  # a copy goes before what it is a copy of
            if self._is_local(web):
                self._local.add(web)
        self.local = {value: web for value, web in self.webs.of.items() if web in self._local}

    def access(self, op: Operation) -> Access | None:
        """What an operation does to something that goes."""
        web = self.webs.accessed_by(op)
        return self.flow.accesses[op] if web in self._local else None

    def is_read(self, op: Operation) -> bool:
        """Does somebody need the item that an access gives?"""
        is_needed = op.is_attribute_load or self._is_used(op)
        return is_needed and self.flow.accesses[op].read is not NOTHING

    def kinds(self, value: Value) -> dict[Hashable, Pattern]:
        """What is handed on instead of an aggregate that is one of several: what its places hold."""
        web = self.webs[value]
        if web.is_object or not web.kinds:
            return web.kinds
        return dict.fromkeys(self.flow.base(web).places, web.kinds[None])

    def changed(self, op: Operation) -> dict[Hashable, tuple[str, list[Type]]]:
        """The places that change in the blocks of an operation, and are variables."""
        found: dict[Hashable, tuple[str, list[Type]]] = {}
        for owner, place in self.flow.handed_on.get(op, ()):
            kind = self.local[owner].kind(place) if owner in self.local else None
            if kind is not None:
                found[owner, place] = name_of(place), parts_types(kind)
        return found

    # -- is it local? -----------------------------------------------------------------------------------

    def _is_local(self, web: Web) -> bool:
        if web.escapes or not web.makes or web in self.flow.failed:
            return False
        kinds = self._kinds_of(web)
        if kinds is None:
            return False
        web.kinds = kinds
        if _is_made_again(web) and not self._is_better_made_at_the_end(web):
            return False
        return not self._is_asked(web) or (self._is_known(web) and self._fits(web))

    def _is_asked(self, web: Web) -> bool:
        """Does it matter what it holds, or how much?"""
        return bool(_is_made_again(web) or web.kinds) or any(
            op.is_unpacking or self._is_copied(op) or (self._is_used(op) and self._answers(op))
            for op in web.accesses
        )

    def _is_used(self, op: Operation) -> bool:
        return any(self.webs.used[value] for value in op.outputs)

    def _answers(self, op: Operation) -> bool:
        return self.flow.accesses[op].answer is not NOTHING

    def _is_copied(self, op: Operation) -> bool:
        """Is a container made of its items that does not go with it?"""
        made = self.webs.made_by(op)
        goes = made in self._local or made is self.webs.accessed_by(op)
        return self.flow.accesses[op].made is not NOTHING and not goes

    def _is_better_made_at_the_end(self, web: Web) -> bool:
        """Is it known what it holds when it is given away or returned, and is something done to it before?"""
        if web.returned > 1 or not (web.accesses or web.values > 1):
            return False
        if web.is_object:
            first, *others = [list(held_by_new(make) or ()) for make in web.makes]
            return all(first == other for other in others) and web.kinds.keys() <= set(first)
        kind = web.makes[0].output.type
        is_plain = isinstance(kind, ContainerType) and kind.name in ("list", "dict")
        ends = [self.flow.at_the_end(value) for value, one in self.webs.of.items() if one is web]
        return is_plain and ends[0].is_exact

    def _is_known(self, web: Web) -> bool:
        """Is it known what its places hold, where somebody asks?"""
        lost = self.flow.lost[web]
        if web.is_object:
            return lost.isdisjoint(web.kinds)
        if lost and (web.kinds or web.values > 1):
            return False
        counts = [len(self.flow.accesses[op].shape.places) for op in web.accesses]
        counts += [len(held_by_new(make) or ()) for make in web.makes]
        return not web.kinds or max(counts) <= MAX_VARIABLES

    # -- what it holds ------------------------------------------------------------------------------------

    def _kinds_of(self, web: Web) -> dict[Hashable, Pattern] | None:
        """What is read at each place; what is made again of the items, too. None where that is not known."""
        kinds: dict[Hashable, Pattern] = {}
        for op in filter(self.is_read, web.accesses):
            kind, place = op.attributes["reader"].pattern, self.flow.accesses[op].read
            if place is SOMEWHERE or parts_types(kind) != [value.type for value in op.outputs]:
                return None
            if kinds.setdefault(web.field(place), kind) != kind:
                return None
        copies = [self.flow.accesses[op].made for op in web.accesses if self._is_copied(op)]
        if not _is_made_again(web) and not copies:
            return kinds
        is_known = all(held_by_new(make) is not None for make in web.makes)
        if not is_known or any(type(made) not in (list, tuple, dict) for made in copies):
            return None
        for place, held, op in self._put_in(web):
            kind_here = kinds.get(web.field(place)) or kind_of(held, op)
            if kind_here is None or kinds.setdefault(web.field(place), kind_here) != kind_here:
                return None
        return kinds if all(map(can_be_refilled, kinds.values())) else None

    def _fits(self, web: Web) -> bool:
        """Is all that is put in, where somebody reads it, of the kind that is read?"""
        for place, held, op in self._put_in(web):
            kind = web.kind(place)
            if kind is not None and parts_of(kind, held, op) is None:
                return False
        made = [held_by_new(make) for make in web.makes]
        if not web.is_object:
            return not web.kinds or None not in made
        stored = {place for op in web.accesses for place in self.flow.accesses[op].stores}
        return all(web.kinds.keys() <= {*(held or ()), *stored} for held in made)

    def _put_in(self, web: Web) -> Iterator[tuple[Hashable, Any, Operation]]:
        """The place, the structure and by whom, of all that is put in, or read as if it were."""
        for make in web.makes:
            for place, held in (held_by_new(make) or {}).items():
                yield place, held, make
        for op in web.accesses:
            access = self.flow.accesses[op]
            for place, source in (*access.stores.items(), (NOTHING, access.read)):
                if isinstance(source, Stored):
                    yield place, source.structure, op


def _is_made_again(web: Web) -> bool:
    """Is it given away, or returned?"""
    return bool(web.returned or web.shown)


def name_of(place: Hashable) -> str:
    """What the variables are called that hold what is in a place."""
    return place if isinstance(place, str) and place.isidentifier() else f"item_{place}"
