"""Objects that are made here and seen by nobody else become the values that they hold.

    p: Point = object.make({'x': 0.5})
    for i: int in range(0, n, 1):
        x: float = object.getattr(p, 'x')
        y: float = py.mul(x, 0.5)
        object.setattr(p, 'x', y)

    x: float = for i: int in range(0, n, 1) with x: float = 0.5:
        y: float = py.mul(x, 0.5)
        yield y

What is read is what was stored last: what an attribute holds is a variable, which an `if`, a loop or a `try`
hands on like any other, a landing to the handler. (Compilers call this the scalar replacement of
aggregates.) One that is a result of the graph is made at the end, of what it holds by then.

Where paths meet, or a loop goes round, a name may stand for one of several objects: they are a *web*, and are
replaced together, if nothing is stored to where somebody reads. Else a store by one name might be read by
another, and the objects stay.

Of lists and dicts the trace knows the items (tracer/known_items.py); what nobody reads then goes with the
stores to it (dead_code.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from autograph.operators import Undefined
from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.ops.item_patterns import Pattern
from runtime.ops.template import Hole, Template
from runtime.passes.aggregates.local import LocalObjects, held_by, hint_of
from runtime.passes.aggregates.parts import NOBODY_READS, parts_of, parts_types, refilled
from runtime.passes.aggregates.webs import arguments_of, name_of
from runtime.passes.register_promotion import Changed, Promotion, named
from runtime.types import Type

#: what an attribute holds that is not there
_ABSENT = Undefined()


def replace_aggregates(graph: Graph) -> Graph:
    while any(op.makes_object for op in graph.operations()):
        found = LocalObjects(graph)
        if not found.local:
            break
        graph = _Replace(found).graph(graph)  # what a local object held may be local now
    return graph


# -- the graph without them ----------------------------------------------------------------------------


class _Replace(Promotion):
    def __init__(self, found: LocalObjects) -> None:
        super().__init__()
        self.found = found
        #: what a reference of a web of several stands for: the flat values of each attribute
        self.parts: dict[Value, dict[str, tuple[Value, ...]]] = {}
        #: the attributes that the bodies change in which we are, by their regions
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
        if (op.makes_object or op.is_undef) and op.output in local:
            debug.fired("an object that nobody else sees", op)
            self._born(op, block)
        elif self.found.accesses(op):
            self._access(op, block)
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
        """The values of a new object's attributes."""
        held = held_by(op) if op.makes_object else {}
        self.parts[op.output] = parts = {}
        for name, kind in self.found.local[op.output].kinds.items():
            there = held.get(name, _ABSENT)
            if parts_of(kind, there, op) is not None:
                parts[name] = self._take_apart(kind, there, op, block)
            else:  # stored before it is read
                parts[name] = tuple([self.undefined(each, op, block) for each in parts_types(kind)])
            self.now[op.output, name] = parts[name]

    def _access(self, op: Operation, block: Block) -> None:
        owner, name = op.inputs[0], name_of(op)
        web = self.found.local[owner]
        assert name is not None
        if op.is_attribute_load:
            self.replace(op.outputs, self._held(owner, name))
        elif name in web.kinds:
            self.now[owner, name] = self._take_apart(web.kinds[name], arguments_of(op)[2], op, block)
            for region, places in self.regions.items():
                landed = self.now.get(("landing", region))
                if landed is not None and (owner, name) in places:
                    self._land(region, landed, block, op)

    def within(self, block: Block, op: Operation, changed: Changed) -> Block:
        if not op.is_try or block is not op.blocks[0]:
            return super().within(block, op, changed)
        self.regions[op.attributes["region"]] = changed
        made = super().within(block, op, changed)
        del self.regions[op.attributes["region"]]
        return made

    def _land(self, region: int, values: tuple[Value, ...], block: Block, op: Operation) -> None:
        """Tell the handler what variables hold from here on, and attributes."""
        held = [one for place in self.regions[region] for one in self.now[place]]
        block.append(Operation("landing", (*values, *held), (), {"region": region}, (), op.location))
        self.now["landing", region] = values

    def _held(self, owner: Value, name: str) -> tuple[Value, ...]:
        is_one = self.found.local[owner].values == 1
        return self.now[owner, name] if is_one else self.parts[owner][name]

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

    def _make_again(self, value: Value, block: Block) -> None:
        """An object that is returned, of what it holds."""
        web, holes = self.found.local[value], count()
        first, inputs = web.makes[0], list[Value]()
        structure = {}
        for name in held_by(first):
            inputs += self._held(value, name)
            structure[name] = refilled(web.kinds[name], holes)
        attributes = {**first.attributes, "template": Template(structure)}
        made = Operation(first.name, tuple(inputs), (value.type,), attributes, location=first.location)
        self.replace((value,), block.append(made).outputs)

    # -- several values, or none, for a reference ------------------------------------------------------------

    def changed(self, op: Operation) -> Changed:
        return self.found.changed(op)

    def spread(self, values: Iterable[Value]) -> Iterator[Value]:
        """The values of the copy, what attributes hold instead of references."""
        for value in values:
            if value in self.found.local:
                for parts in self.parts[value].values():
                    yield from parts
            else:
                yield self.values[value]

    def types(self, values: Iterable[Value]) -> Iterator[Type]:
        for value in values:
            if value in self.found.local:
                for kind in self.found.local[value].kinds.values():
                    yield from parts_types(kind)
            else:
                yield value.type

    def stand(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        source = iter(new)
        for value in old:
            if value in self.found.local:
                self.parts[value] = {
                    name: named(source, hint_of(name), parts_types(kind))
                    for name, kind in self.found.local[value].kinds.items()
                }
            else:
                self.replace((value,), (next(source),))
