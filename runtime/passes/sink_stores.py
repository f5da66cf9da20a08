"""An attribute, a global or a variable of a closure that a loop changes is stored once, after the loop.

    for x: float in xs with total: float = a_total:
        total.2: float = py.add(total, x)
        store_attr(a, total.2, name='total', there=True)
        yield total.2

    total, stored, value = for x: float in xs with total = a_total, stored = False, value = undef:
        total.2: float = py.add(total, x)
        yield total.2, True, total.2
    if stored:
        store_attr(a, value, name='total', there=True)

Nobody may see the difference: in the loop nothing is raised, no other code runs, and no other reference
stores to an attribute of this name or reads one. (An int that outgrows 64 bits raises here only, not in
Python.) Before a division by zero is raised, or that an array has no such item, what was to be stored is
stored. A load in the loop is what was stored last, or before the loop.

It must be there before: else its place in ``vars(a)`` would be another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from types import CellType, ModuleType
from typing import NamedTuple

from autograph.records import record
from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, walk
from runtime.graph.effects import effects_of, fields_of, may_raise_itself
from runtime.graph.item_places import ItemPlaces
from runtime.graph.rewrite import constant_of, is_there
from runtime.ops.definition import REGISTRY
from runtime.ops.item_patterns import Typed
from runtime.ops.template import Hole
from runtime.passes.register_promotion import Changed, Promotion
from runtime.types import BOOL, INT, ContainerType, NumberType, ScalarType, Type


def sink_stores(graph: Graph) -> Graph:
    loops = _Loops(graph)
    return _Sink(loops).graph(graph) if loops.places else graph


class Field(NamedTuple):
    """What a name stands for in all objects of a class, in a namespace, or in all other objects."""

    owner: Hashable
    name: str


@record(frozen=False, eq=False)
class Place:
    """An attribute or variable of one owner, and what is done to it in a loop."""

    field: Field
    owner: Value
    type: Type
    stores: list[Operation]
    loads: list[Operation]


def _stores(op: Operation) -> bool:
    return op.stores_outside or op.is_attribute_store


def access(op: Operation) -> Field | None:
    """What an operation stores or loads, of its first input."""
    if op.stores_outside:
        name = op.attributes.get("name", op.attributes.get("key"))
        owner = _namespace(op.inputs[0])
        is_known = "name" in op.attributes or owner is not None
        return Field(owner, name) if is_known and isinstance(name, str) else None
    if not op.is_attribute or "template" in op.attributes:
        return None
    found = fields_of(op)
    return Field(*next(iter(found))) if found else None


def _namespace(owner: Value) -> Hashable:
    """Who an object of the program's world is; of a module its namespace."""
    maker = constant_of(owner)
    if maker is None:
        return None
    known = maker.attributes["value"]
    return "object", id(vars(known) if isinstance(known, ModuleType) else known)


def stored(op: Operation) -> Value | None:
    """What is stored, where it is a value by itself."""
    if op.is_attribute_store:
        return op.inputs[2] if "template" not in op.attributes else None
    is_plain = "key" in op.attributes or op.attributes.get("cls") is not None or _is_cell(op)
    return op.inputs[1] if is_plain and op.attributes["template"].structure == Hole(0) else None


def _is_cell(op: Operation) -> bool:
    """Is it a variable of a closure?"""
    maker = constant_of(op.inputs[0])
    return maker is not None and isinstance(maker.attributes["value"], CellType)


# -- which stores --------------------------------------------------------------------------------------


class _Loops:
    """The loops of a graph, and the places whose stores can leave each of them."""

    def __init__(self, graph: Graph) -> None:
        self.places: dict[Operation, list[Place]] = {}
        #: by operation: the places of loops around it that change in it
        self.changed: dict[Operation, dict[Hashable, tuple[str, list[Type]]]] = defaultdict(dict)
        if not any(_stores(op) for op in graph.operations()):
            return
        self._params = graph.params
        self.quiet = _Quiet(graph)
        self._known = {field for op in graph.operations() if _is_there(op) and (field := access(op))}
        self._around = {
            op: (parent, block)
            for parent in graph.operations()
            for block in parent.blocks
            for op in block.operations
        }
        self._look(graph.body.operations, frozenset())

    def _look(self, operations: Iterable[Operation], gone: frozenset[Field]) -> None:
        """Outer loops first: what leaves one, leaves those in it, too."""
        for op in operations:
            inner = gone
            if op.is_loop and self.quiet.is_quiet(op):
                found = [place for place in self._places_of(op) if place.field not in gone]
                if found:
                    self.places[op] = found
                    inner = gone.union([place.field for place in found])
                    for place in found:
                        self._note(place, op)
            for block in op.blocks:
                self._look(block.operations, inner)

    def _places_of(self, loop: Operation) -> Iterator[Place]:
        inside = {value for op in _within(loop) for value in op.outputs}
        inside.update(param for op in (loop, *_within(loop)) for block in op.blocks for param in block.params)
        accesses: dict[Field, list[Operation]] = defaultdict(list)
        for op in _within(loop):
            field = access(op)
            if field is not None:
                accesses[field].append(op)
        for field, found in accesses.items():
            stores = [op for op in found if _stores(op)]
            values = [stored(op) for op in stores]
            first = values[0] if values else None
            loads = [op for op in found if op not in stores]
            if (
                first is not None
                and field in self._known
                and (not loads or is_there(found[0].inputs[0], self._params))  # for a load before the loop
                and isinstance(first.type, NumberType | ScalarType)
                and (field.owner == _namespace(found[0].inputs[0]) or found[0].inputs[0] not in inside)
                and all(_owner(op) == _owner(found[0]) for op in found)
                and all(value is not None and value.type == first.type for value in values)
                and all(_loads(op, first.type) for op in loads)
                and all(self._is_handed_out(op, loop) for op in stores)
            ):
                yield Place(field, found[0].inputs[0], first.type, stores, loads)

    def _is_handed_out(self, store: Operation, loop: Operation) -> bool:
        return all(block in op.handing_on for op, block in self._up_to(store, loop))

    def _up_to(self, op: Operation, loop: Operation) -> Iterator[tuple[Operation, Block]]:
        """The operations around one, and their blocks that it stands in, up to the loop."""
        while op is not loop:
            op, block = self._around[op]
            yield op, block

    def _note(self, place: Place, loop: Operation) -> None:
        for store in place.stores:
            for op, _ in self._up_to(store, loop):
                self.changed[op][place.field] = place.field.name, [BOOL, place.type]


def _owner(op: Operation) -> Hashable:
    return _namespace(op.inputs[0]) or op.inputs[0]


def _is_there(op: Operation) -> bool:
    """Does the operation say that it was there, or has it no place among others?"""
    if op.stores_outside:
        return bool(op.attributes.get("there")) or _is_cell(op)
    return op.is_attribute_load and isinstance(op.attributes["reader"].pattern, Typed)


def _loads(op: Operation, kind: Type) -> bool:
    return (
        isinstance(op.attributes["reader"].pattern, Typed) and len(op.outputs) == 1 and op.output.type == kind
    )


def _within(loop: Operation) -> Iterator[Operation]:
    for block in loop.blocks:
        yield from walk(block)


class _Quiet:
    """In which loops nothing is raised, and no other code runs."""

    def __init__(self, graph: Graph) -> None:
        self.items = ItemPlaces(graph)
        self._loops = {op.blocks[-1].params[0]: op for op in graph.operations() if op.is_counted}
        self._params = set(graph.params)
        operations = list(graph.operations())
        #: lists that get longer or shorter, or that somebody unknown may change
        self._resized = {op.inputs[0] for op in operations if _resizes(op)}
        self._is_alone = not any(effects_of(op).ordered and not _is_known(op) for op in operations)

    def is_quiet(self, loop: Operation) -> bool:
        return all(map(self._is_harmless, (loop, *_within(loop))))

    def _is_harmless(self, op: Operation) -> bool:
        if op.blocks:
            ends = all(block.ends == "yield" for block in op.blocks)
            return ends and (op.is_branch or op.is_while or (op.is_counted and not may_raise_itself(op)))
        if _stores(op):
            return access(op) is not None
        effects = effects_of(op)
        if effects.ordered or op.is_call:
            return False
        return not may_raise_itself(op) or effects.raises in ("overflow", "division") or self._finds(op)

    def _finds(self, op: Operation) -> bool:
        """Is it a load of something that is surely there?"""
        if op.is_item:
            return self.items.perhaps_outside(op) is not None
        if op.is_attribute_load:
            return isinstance(op.attributes["reader"].pattern, Typed)
        if op.is_item_of_list:
            return self._is_turn_of(op) and isinstance(op.attributes["reader"].pattern, Typed)
        return op.is_length

    def _is_turn_of(self, op: Operation) -> bool:
        """Is it the item of a list for the turn of a loop over this list, which keeps its length?"""
        items, index = op.inputs[:2]
        loop = self._loops.get(index)
        if loop is None or not self._keeps_length(items):
            return False
        start, stop, step = [value.owner for value in loop.inputs[:3]]
        return (
            stop is not None
            and stop.is_length
            and stop.inputs == (items,)
            and start is not None
            and step is not None
            and start.is_constant
            and step.is_constant
            and start.attributes["value"] == 0
            and step.attributes["value"] > 0
        )

    def _keeps_length(self, items: Value) -> bool:
        """Is it one of the lists that were given, or were made here, and no such list changes its length?"""
        is_made = items.owner is not None and items.owner.makes_container
        if not self._is_alone or not (is_made or items in self._params):
            return False
        return items not in self._resized and all(
            one.owner is not None and one.owner.makes_container for one in self._resized
        )


def _is_known(op: Operation) -> bool:
    """Does an ordered operation run no code that is unknown?"""
    return _stores(op) or "literal" in REGISTRY[op.name].traits or _resizes(op)


def _resizes(op: Operation) -> bool:
    kind = op.inputs[0].type if op.inputs else None
    return isinstance(kind, ContainerType) and bool(effects_of(op).writes)


# -- the graph with the stores after the loops ---------------------------------------------------------


class _Sink(Promotion):
    def __init__(self, loops: _Loops) -> None:
        super().__init__()
        self.loops = loops
        self.pending: list[Place] = []  # of the loops around

    def changed(self, op: Operation) -> Changed:
        return self.loops.changed.get(op, {})

    def operation(self, op: Operation, block: Block) -> None:
        places = self.loops.places.get(op, [])
        for place in places:
            debug.fired("stored once, after the loop", place.stores[0])
            value = self._before(place, block)
            self.now[place.field] = self.constant(False, BOOL, op, block), value
        self.pending += places
        field = access(op) if _stores(op) or op.is_attribute_load else None
        if op.hands_on:
            self.hand_on(op, block)
        elif field not in self.now:
            if self.now:
                for raises in self._reasons(op, block):
                    self._store_before_raising(raises, op, block)
            block.append(self.copy(op))
        elif op.is_attribute_load:
            self.replace(op.outputs, self.now[field][1:])
        else:
            value_stored = stored(op)
            assert value_stored is not None
            self.now[field] = self.constant(True, BOOL, op, block), self.values[value_stored]
        for place in places:
            self.pending.remove(place)
            self._store(place, block)
            del self.now[place.field]

    def _before(self, place: Place, block: Block) -> Value:
        """What the attribute holds before the loop, where that is asked for."""
        if not place.loads:
            return self.undefined(place.type, place.stores[0], block)
        load = place.loads[0]
        name = Operation("constant", (), (load.inputs[1].type,), {"value": place.field.name})
        inputs = (self.values[place.owner], block.append(name).output)
        made = Operation(load.name, inputs, (place.type,), load.attributes, location=load.location)
        return block.append(made).output

    def _owner_in(self, block: Block, owner: Value) -> Value:
        """The owner of a place, which may be a constant that stands in the loop."""
        maker = constant_of(owner)
        if maker is None:
            return self.values[owner]
        made = Operation("constant", (), (owner.type,), maker.attributes, location=maker.location)
        return block.append(made).output

    def _reasons(self, op: Operation, block: Block) -> Iterator[Value]:
        """Conditions under which an operation in the loops raises."""
        if effects_of(op).raises == "division":
            divisor = self.values[op.inputs[1]]
            maker = constant_of(divisor)
            if maker is None or maker.attributes["value"] == 0:
                yield self._compared("eq", divisor, 0, op, block)
        elif op.is_item:
            for (base, offset), length in self.loops.quiet.items.perhaps_outside(op) or ():
                if base is None:
                    yield self.constant(not -length <= offset < length, BOOL, op, block)
                else:
                    yield self._compared("ge", self.values[base], length - offset, op, block)
                    yield self._compared("lt", self.values[base], -length - offset, op, block)

    def _compared(self, how: str, value: Value, number: int, op: Operation, block: Block) -> Value:
        inputs = (value, self.constant(number, INT, op, block))
        return block.append(Operation(f"py.{how}", inputs, (BOOL,), location=op.location)).output

    def _store_before_raising(self, raises: Value, op: Operation, block: Block) -> None:
        """An exception leaves the loops, with what was stored by then."""
        then = Block()
        for place in self.pending:
            self._store(place, then)
        block.append(Operation("if", (raises,), (), {}, (then, Block()), op.location))

    def _store(self, place: Place, block: Block) -> None:
        was_stored, value = self.now[place.field]
        store, then = place.stores[0], Block()
        inputs: tuple[Value, ...] = (self._owner_in(then, place.owner), value)
        if store.is_attribute_store:
            name = Operation("constant", (), (store.inputs[1].type,), {"value": place.field.name})
            inputs = (inputs[0], then.append(name).output, value)
        then.append(Operation(store.name, inputs, (), store.attributes, location=store.location))
        block.append(Operation("if", (was_stored,), (), {}, (then, Block()), store.location))
