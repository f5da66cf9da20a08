"""What there is in each local object and container at each point of a graph, through `if` and loops.

>>> from runtime.formats.parse import parse
>>> from runtime.passes.aggregates.webs import Webs
>>> graph = parse('''
... graph f(x: float, c: bool) -> float:
...     items: list[float] = list.new([x, 0.5])
...     if c:
...         list.setitem(items, 1, x)
...     else:
...         y: float = list.pop(items)
...     z: float = list.getitem(items, 0)
...     return z
... ''')
>>> flow = Flow(graph, Webs(graph))
>>> *_, read = graph.operations()
>>> flow.accesses[read].read, flow.accesses[read].shape
(0, Shape(places=(0,), is_exact=False, more=0))
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import reduce
from typing import TypeAlias

from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import changes_length
from runtime.passes.aggregates.accesses import Access, access_of
from runtime.passes.aggregates.shapes import Shape, shape_of_new
from runtime.passes.aggregates.webs import Web, Webs

#: what there is in each aggregate
Shapes: TypeAlias = "dict[Value, Shape]"
#: places that change, in the order in which they do
Places: TypeAlias = "dict[tuple[Value, Hashable], None]"
#: where a loop leaves less and less in a list, of so many turns, nothing is known of it
_MOST_TURNS = 4
#: the items of a container: all its places
ALL = object()


class Flow:
    """``accesses``: what each operation does; ``handed_on``: the places that change in the blocks of an `if`
    or a loop, and are there afterwards; of a `try`, those that were there before.

    ``lost``: places of a web of which nobody knows what they hold, from some point on; ``failed``: webs to
    which something is done that is not known, or may raise.
    """

    def __init__(self, graph: Graph, webs: Webs) -> None:
        self.accesses: dict[Operation, Access] = {}
        self.handed_on: dict[Operation, Places] = {}
        self.lost: dict[Web, set[Hashable]] = {web: set() for web in webs}
        self.failed: set[Web] = set()
        self._webs = webs
        self._bases: dict[Web, Shape] = {}
        self._now: Shapes = {}
        self._changed: Places = {}
        self._shown: Shapes = {}
        self._walk(graph.body)
        self._end = self._now

    def at_the_end(self, value: Value) -> Shape:
        """What there is in an aggregate when it is given away, or the graph ends."""
        web = self._webs[value]
        if web.values > 1:
            return self.base(web)
        return self._shown[value] if web.shown else self._end.get(value, Shape())

    def base(self, web: Web) -> Shape:
        """What there is in all of a web of several from their birth on."""
        if web not in self._bases:
            born = reduce(Shape.joined, [shape_of_new(make) or Shape() for make in web.makes])
            is_exact = born.is_exact and not any(map(changes_length, web.accesses))
            self._bases[web] = Shape(born.places, is_exact, born.more)
        return self._bases[web]

    # -- operations -------------------------------------------------------------------------------------

    def _walk(self, block: Block) -> None:
        for op in block.operations:
            if op.is_branch:
                self._if(op)
            elif op.hands_on:
                self._loop(op)
            elif op.is_try:
                self._try(op)
            elif op.blocks:
                self._region(op)
            else:
                self._one(op)

    def _one(self, op: Operation) -> None:
        for value in self._webs.shown.get(op, ()):
            self._shown[value] = self._now.get(value, Shape())
        web = self._webs.accessed_by(op)
        if web is not None and web.makes and not web.escapes:
            self._access(op, web)
        made = self._webs.made_by(op)
        if made is not None and made.values == 1 and not made.escapes:
            self._now[op.output] = self._born(op)

    def _born(self, op: Operation) -> Shape:
        access, source = self.accesses.get(op), self._webs.accessed_by(op)
        if access is not None and source is not None and source.values > 1:
            return Shape()
        if access is not None and isinstance(access.made, Sequence | dict):
            places = access.made if isinstance(access.made, dict) else range(len(access.made))
            return Shape(tuple(places), True)
        return shape_of_new(op) or Shape()

    def _access(self, op: Operation, web: Web) -> None:
        owner = op.inputs[0]
        shape = self._now.get(owner, Shape()) if web.values == 1 else self.base(web)
        access = access_of(op, shape)
        if access is not None and web.values > 1 and not _only_grows(access, shape):
            access = None
        if access is None:
            self.accesses.pop(op, None)
            self.failed.add(web)
            self._now[owner] = Shape()
            self._changed[owner, ALL] = None
            return
        self.accesses[op] = access
        if access.is_lost:
            self.lost[web].add(ALL)
        if web.values == 1:
            self._now[owner] = access.shape
            self._changed |= dict.fromkeys((owner, place) for place in access.stores)
            if access.shape != shape:
                self._changed[owner, ALL] = None
        elif access.stores:  # to which of them, only a run knows
            self.lost[web] |= set(access.stores) if web.is_object else {ALL}

    # -- operations with blocks ---------------------------------------------------------------------------

    def _if(self, op: Operation) -> None:
        before, ends = self._now, []
        changed: Places = {}
        for block in op.blocks:
            now, places = self._within(block, before)
            if block.ends == "yield":
                ends.append(now)
                changed |= places
        self._now = reduce(_joined, ends) if ends else before
        self._hand_on(op, changed)

    def _loop(self, op: Operation) -> None:
        *tests, body = op.blocks
        head, turn = self._now, 0
        while True:
            tested = head
            for test in tests:
                tested = self._losing(test, tested)
            now, changed = self._within(body, tested)
            after = _joined(head, tested)
            after = _joined(after, now) if body.ends == "yield" else after
            if after == head:
                break
            turn += 1
            if turn > _MOST_TURNS:
                after = {value: shape if shape == head[value] else Shape() for value, shape in after.items()}
            head = after
        self._now = tested
        self._hand_on(op, changed)

    def _try(self, op: Operation) -> None:
        """What the body has stored by then, the landings tell the handler; of lengths nobody tells it."""
        body, handler = op.blocks
        before = self._now
        end, changed = self._within(body, before)
        moved = {owner for owner, place in changed if place is ALL}
        head = {value: Shape() if value in moved else shape for value, shape in before.items()}
        other, places = self._within(handler, head)
        ends = [now for block, now in ((body, end), (handler, other)) if block.ends == "yield"]
        self._now = reduce(_joined, ends) if ends else before
        changed |= places
        for owner, place in changed:
            if owner in moved or not (self._webs[owner].is_object or place in (ALL, *before[owner].places)):
                self.lost[self._webs[owner]].add(ALL)
        self.handed_on[op] = {key: None for key in changed if key[1] is not ALL}
        self._changed |= changed

    def _region(self, op: Operation) -> None:
        """Blocks that may be left in the middle: nobody hands on what changes there."""
        for block in op.blocks:
            self._now = self._losing(block, self._now)

    def _losing(self, block: Block, before: Shapes) -> Shapes:
        """What there is still after a block that does not hand on what it changes."""
        _, changed = self._within(block, before)
        owners = {owner for owner, _ in changed}
        for owner, place in changed:
            web = self._webs[owner]
            self.lost[web].add(place if web.is_object else ALL)
        self._changed |= changed
        return {value: Shape() if value in owners else shape for value, shape in before.items()}

    def _within(self, block: Block, before: Shapes) -> tuple[Shapes, Places]:
        """What there is at the end of a block, of what was there before, and what changes in it."""
        outer, self._now, self._changed = self._changed, dict(before), {}
        self._walk(block)
        now = {value: shape for value, shape in self._now.items() if value in before}
        changed = {key: None for key in self._changed if key[0] in before}
        self._changed = outer
        return now, changed

    def _hand_on(self, op: Operation, changed: Places) -> None:
        self.handed_on[op] = {
            (owner, place): None
            for owner, place in changed
            if self._webs[owner].is_object or place in self._now[owner].places
        }
        self._changed |= changed


def _only_grows(access: Access, shape: Shape) -> bool:
    """Does what there surely is stay there?"""
    return access.shape.least() >= shape.least() and set(shape.places) <= set(access.shape.places)


def _joined(a: Shapes, b: Shapes) -> Shapes:
    return {value: a[value].joined(b[value]) for value in a}
