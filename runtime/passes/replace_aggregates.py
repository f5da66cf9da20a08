"""Objects, lists and dicts that are made here and seen by nobody else become the values that they hold.

    p: Point = object.make({'x': 0.5})             last: list[float] = list.new([0.5, 0.0])
    for i: int in range(0, n, 1):                  for i: int in range(0, n, 1):
        x: float = object.getattr(p, 'x')              x: float = list.getitem(last, 0)
        y: float = py.mul(x, 0.5)                      y: float = py.mul(x, 0.5)
        object.setattr(p, 'x', y)                      list.setitem(last, 0, y)

    x: float = for i: int in range(0, n, 1) with x: float = 0.5:
        y: float = py.mul(x, 0.5)
        yield y

An aggregate is *local* where the graph makes it, does to it what is known (aggregates/accesses.py), and
nothing else. What is read is what was stored last: what an attribute, an index or a key holds is a variable,
which an `if`, a loop or a `try` hands on like any other, a landing to the handler. (Compilers call this the
scalar replacement of aggregates.)
One that nobody reads goes with all that is done to it, if none of that may raise.

One that is given away at last, or is a result of the graph, is made there, of what it holds by then. So is a
copy or a slice of one, where that is taken.

Where paths meet, or a loop goes round, a name may stand for one of several objects: they are a *web*, and are
replaced together, if nothing is stored to where somebody reads. Else a store by one name might be read by
another, and the objects stay.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import count
from typing import Any

from autograph.operators import Undefined
from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.ops.definition import REGISTRY
from runtime.ops.item_patterns import Pattern
from runtime.ops.template import Hole, Template
from runtime.passes.aggregates.accesses import NOTHING, Access, Stored
from runtime.passes.aggregates.local import LocalAggregates, name_of
from runtime.passes.aggregates.parts import NOBODY_READS, parts_of, parts_types, refilled
from runtime.passes.aggregates.shapes import held_by_new, structure_of
from runtime.passes.register_promotion import Changed, Promotion, named
from runtime.types import Type

#: what an attribute holds that is not there
_ABSENT = Undefined()


def replace_aggregates(graph: Graph) -> Graph:
    while any("literal" in REGISTRY[op.name].traits for op in graph.operations()):
        found = LocalAggregates(graph)
        if not found.local:
            break
        graph = _Replace(found).graph(graph)  # what a local object held may be local now
    return graph


# -- the graph without them ----------------------------------------------------------------------------


class _Replace(Promotion):
    def __init__(self, found: LocalAggregates) -> None:
        super().__init__()
        self.found = found
        #: what a reference of a web of several stands for: the flat values of each place
        self.parts: dict[Value, dict[Hashable, tuple[Value, ...]]] = {}
        #: the places that the bodies change in which we are, by their regions
        self.regions: dict[int, Changed] = {}

    def graph(self, graph: Graph) -> Graph:
        body = Block([self.param(param) for param in graph.params])
        self.fill(body, Block(graph.body.params, graph.body.operations, (), graph.body.ends))
        if body.ends == "yield":
            for value in graph.results:
                if value in self.found.local:
                    self._make_again(value, body)
            body.results = self.of(graph.results)
        return Graph(graph.name, body, dict(graph.info), graph.functions)

    def operation(self, op: Operation, block: Block) -> None:
        local = self.found.local
        for value in self.found.webs.shown.get(op, ()):
            if value in local:
                self._make_again(value, block)
        if op.outputs and op.outputs[0] in local and not op.hands_on:
            debug.fired("an object that nobody else sees", op)
            self._born(op, block)
        elif (access := self.found.access(op)) is not None:
            self._access(op, access, block)
        elif op.compares_identity and not local.keys().isdisjoint(op.inputs):
            same = op.inputs[0] is op.inputs[1]
            self.replace(op.outputs, (self.constant(same, op.output.type, op, block),))
        elif op.is_control:
            self.hand_on(op, block)
        elif op.is_landing:
            self._land(op.attributes["region"], self.of(op.inputs), block, op)
        else:
            block.append(self.copy(op))

    # -- what is made, read and stored --------------------------------------------------------------------

    def _born(self, op: Operation, block: Block) -> None:
        """The values of a new object's or container's places."""
        held = held_by_new(op) or {}
        self.parts[op.output] = parts = {}
        for place, kind in self.found.kinds(op.output).items():
            there = held.get(place, _ABSENT)
            if parts_of(kind, there, op) is not None:
                parts[place] = self._take_apart(kind, there, op, block)
            else:  # stored before it is read
                parts[place] = tuple([self.undefined(each, op, block) for each in parts_types(kind)])
            self.now[op.output, place] = parts[place]

    def _access(self, op: Operation, access: Access, block: Block) -> None:
        owner = op.inputs[0]
        stored: dict[Hashable, tuple[Value, ...]] = {}
        web = self.found.local[owner]
        if access.answer is not NOTHING:
            self.replace(op.outputs, (self.constant(access.answer, op.output.type, op, block),))
        elif access.made is not NOTHING:
            self._make_copy(op, access.made, block)
        elif self.found.is_read(op):
            kind = web.kind(access.read)
            assert kind is not None
            self.replace(op.outputs, self._source(op, access.read, kind, block))
        for place, source in access.stores.items():
            kind = web.kind(place)
            if kind is not None:
                stored[owner, place] = self._source(op, source, kind, block)
        self.now |= stored
        for region, places in self.regions.items():
            landed = self.now.get(("landing", region))
            if landed is not None and not stored.keys().isdisjoint(places):
                self._land(region, landed, block, op)

    def within(self, block: Block, op: Operation, changed: Changed) -> Block:
        if not op.is_try or block is not op.blocks[0]:
            return super().within(block, op, changed)
        self.regions[op.attributes["region"]] = changed
        made = super().within(block, op, changed)
        del self.regions[op.attributes["region"]]
        return made

    def _land(self, region: int, values: tuple[Value, ...], block: Block, op: Operation) -> None:
        """Tell the handler what variables hold from here on, and places."""
        held = [one for place in self.regions[region] for one in self.now[place]]
        block.append(Operation("landing", (*values, *held), (), {"region": region}, (), op.location))
        self.now["landing", region] = values

    def _source(self, op: Operation, source: Any, kind: Pattern, block: Block) -> tuple[Value, ...]:
        if isinstance(source, Stored):
            return self._take_apart(kind, source.structure, op, block)
        return self._held(op.inputs[0], source)

    def _held(self, owner: Value, place: Hashable) -> tuple[Value, ...]:
        is_one = self.found.local[owner].values == 1
        return self.now[owner, place] if is_one else self.parts[owner][place]

    def _take_apart(self, kind: Pattern, held: Any, op: Operation, block: Block) -> tuple[Value, ...]:
        flat = parts_of(kind, held, op)
        assert flat is not None
        found = []
        for one, each in zip(flat, parts_types(kind), strict=True):
            if isinstance(one, Hole):
                found.append(self.values[op.inputs[one.index]])
            elif one is NOBODY_READS:
                found.append(self.undefined(each, op, block))
            else:
                found.append(self.constant(one, each, op, block))
        return tuple(found)

    # -- what is made of what they held --------------------------------------------------------------------

    def _make_again(self, value: Value, block: Block) -> None:
        """An object or container, where it is given away, or returned."""
        first = self.found.local[value].makes[0]
        kept: Iterable[Hashable] = self.found.flow.at_the_end(value).places
        if first.makes_object:
            kept = held_by_new(first) or ()
        places = {place: place for place in kept}
        is_list = isinstance(structure_of(first), list)
        structure, inputs = self._structure(value, list(places) if is_list else places, None)
        attributes = {**first.attributes, "template": Template(structure)}
        made = Operation(first.name, inputs, (value.type,), attributes, location=first.location)
        self.replace((value,), block.append(made).outputs)

    def _make_copy(self, op: Operation, made: Any, block: Block) -> None:
        """A list, tuple or dict of what is in these places."""
        structure, inputs = self._structure(op.inputs[0], made, op)
        attributes = {"type": op.output.type, "template": Template(structure)}
        new = Operation("list.new", inputs, (op.output.type,), attributes, location=op.location)
        self.replace(op.outputs, block.append(new).outputs)

    def _structure(self, owner: Value, made: Any, op: Operation | None) -> tuple[Any, tuple[Value, ...]]:
        """A template of places and of what is stored, and its values."""
        inputs: list[Value] = list(self.of(op.inputs[1:])) if op is not None else []
        web = self.found.local[owner]

        def item(source: Any) -> Any:
            if isinstance(source, Stored):  # the first input is the owner itself
                return renumbered(source.structure, -1)
            kind = web.kind(source)
            assert kind is not None
            start = len(inputs)
            inputs.extend(self._held(owner, source))
            return refilled(kind, count(start))

        if isinstance(made, dict):
            return {key: item(source) for key, source in made.items()}, tuple(inputs)
        return type(made)([item(source) for source in made]), tuple(inputs)

    # -- several values, or none, for a reference ------------------------------------------------------------

    def changed(self, op: Operation) -> Changed:
        return self.found.changed(op)

    def spread(self, values: Iterable[Value]) -> Iterator[Value]:
        """The values of the copy, what places hold instead of references."""
        for value in values:
            if value in self.found.local:
                for parts in self.parts[value].values():
                    yield from parts
            else:
                yield self.values[value]

    def types(self, values: Iterable[Value]) -> Iterator[Type]:
        for value in values:
            if value in self.found.local:
                for kind in self.found.kinds(value).values():
                    yield from parts_types(kind)
            else:
                yield value.type

    def stand(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        source = iter(new)
        for value in old:
            if value in self.found.local:
                self.parts[value] = {
                    place: named(source, name_of(place), parts_types(kind))
                    for place, kind in self.found.kinds(value).items()
                }
            else:
                self.replace((value,), (next(source),))


def renumbered(structure: Any, by: int) -> Any:
    """A structure whose holes are for other values."""
    values = [Hole(k + by) for k in range(1 + max(Template(structure).holes(), default=0))]
    return Template(structure).fill(values)
