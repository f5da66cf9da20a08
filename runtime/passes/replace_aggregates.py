"""Objects that are made here and seen by nobody else become the values that they hold.

    p: Point = object.make({'x': 0.5})
    for i: int in range(0, n, 1):
        x: float = object.getattr(p, 'x')
        y: float = py.mul(x, 0.5)
        object.setattr(p, 'x', y)

    x: float = for i: int in range(0, n, 1) with x: float = 0.5:
        y: float = py.mul(x, 0.5)
        yield y

An object is *local* where the graph makes it, reads and stores its attributes by their names, and does
nothing else to it. What is read is what was stored last: such an attribute is a variable, which an `if` or
a loop hands on like any other. (Compilers call this the scalar replacement of aggregates.)

One that is the result of the graph, and nothing else, is made there, of what its attributes hold by then.

Where paths meet, or a loop goes round, a name may stand for one of several objects: they are a *web*, and are
replaced together, if no attribute is stored to that is read. Else a store by one name might be read by
another, and the objects stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.rewrite import constant_of
from runtime.ops.item_patterns import OneOf, Pattern, Row, Same, Text, Typed, class_of
from runtime.ops.template import Hole, Template
from runtime.passes.register_promotion import HANDS_ON, Changed, Promotion, is_handed_on, named
from runtime.types import INT, InstanceType, Type, type_of

#: the classes of constants that are values of a graph
_NUMBERS = (int, float, bool, complex)
#: the value of an alternative that is not the one
_NOBODY_READS = object()


def replace_aggregates(graph: Graph) -> Graph:
    while any(op.name == "object.make" for op in graph.operations()):
        webs = _Webs(graph)
        if not webs.local:
            break
        graph = _Replace(webs).graph(graph)  # what a local object held may be local now
    return graph


# -- which objects -------------------------------------------------------------------------------------


class _Web:
    """Objects that may stand for each other."""

    def __init__(self) -> None:
        self.makes: list[Operation] = []
        self.values = 0
        self.is_local = True
        self.returned = 0  # how often it is a result of the graph
        #: attributes that are read, and what they are known to hold
        self.read: dict[str, set[Pattern]] = {}
        self.stores: list[Operation] = []
        #: what is handed on instead of the objects
        self.fields: dict[str, Pattern] = {}


class _Webs:
    """The local objects of a graph. ``local``: by each value that is one."""

    def __init__(self, graph: Graph) -> None:
        self._web: dict[Value, _Web] = {}
        self._of_blocks = {id(block): (op, block) for op in graph.operations() for block in op.blocks}
        self._around: dict[Operation, Block] = {}
        self._join(graph)
        self._spoil(graph.params)
        for value in graph.results:
            if isinstance(value.type, InstanceType):
                self[value].returned += 1
        self._look(graph.body)
        #: the attributes of objects made before an operation that are stored to in its blocks
        self.changed: dict[Operation, dict[Hashable, tuple[str, list[Type]]]] = defaultdict(dict)
        for web in {id(web): web for web in self._web.values()}.values():
            self._decide(web)
        self.local = {value: web for value, web in self._web.items() if web.is_local}

    def __getitem__(self, value: Value) -> _Web:
        """The web of a reference to an instance."""
        if value not in self._web:
            self._web[value] = _Web()
            self._web[value].values = 1
        return self._web[value]

    def _join(self, graph: Graph) -> None:
        """Put into one web what is handed on as one value."""
        leaders: dict[Value, Value] = {}

        def leader(value: Value) -> Value:
            while leaders.setdefault(value, value) is not value:
                value = leaders[value]
            return value

        for op in graph.operations():
            for k, output in enumerate(op.outputs if op.name in HANDS_ON else ()):
                for value in _handed_on(op, k) if isinstance(output.type, InstanceType) else ():
                    leaders[leader(value)] = leader(output)
        webs: dict[Value, _Web] = defaultdict(_Web)
        for value in leaders:
            self._web[value] = webs[leader(value)]
            self._web[value].values += 1

    def _spoil(self, values: Iterable[Value]) -> None:
        for value in values:
            if isinstance(value.type, InstanceType):
                self[value].is_local = False

    def _look(self, block: Block) -> None:
        """At all that is done to instances."""
        for op in block.operations:
            self._around[op] = block
            if op.name == "object.make" and isinstance(_structure(op), dict):
                self[op.output].makes.append(op)
            elif op.name not in HANDS_ON and op.name != "undef":
                self._spoil(op.outputs)
            if op.name not in HANDS_ON:
                self._spoil(op.inputs[self._is_access(op) :] if op.name != "is" else self._compared(op))
            for nested in op.blocks:
                self._look(nested)
                if op.name not in HANDS_ON:
                    self._spoil((*nested.params, *nested.results))

    def _is_access(self, op: Operation) -> bool:
        """Is it an attribute of the first input that is read or stored?"""
        name = _attribute(op)
        if name is None:
            return False
        web = self[op.inputs[0]]
        if op.name == "object.setattr":
            web.stores.append(op)
            return True
        pattern = op.attributes["reader"].pattern
        if _flat(pattern) != [value.type for value in op.outputs]:
            return False
        web.read.setdefault(name, set()).add(pattern)
        return True

    def _compared(self, op: Operation) -> tuple[Value, ...]:
        """What keeps its identity for the sake of ``is``: two of one web may be one object, or not."""
        a, b = op.inputs
        both = isinstance(a.type, InstanceType) and isinstance(b.type, InstanceType)
        return op.inputs if both and a is not b and self[a] is self[b] else ()

    def _decide(self, web: _Web) -> None:
        """Is the web local after all? Notes its fields, and what its stores change."""
        fields = _fields(web) if web.is_local and web.makes else None
        web.is_local = fields is not None
        if fields is None:
            return
        web.fields = fields
        stores = [(name, op) for op in web.stores if (name := str(_attribute(op))) in fields]
        if stores and web.values > 1:
            web.is_local = False
            return
        changed = [self._changes(op, web.makes[0]) for _, op in stores]
        web.is_local = (
            all(_is_made(make, name, fields[name], bool(stores)) for make in web.makes for name in fields)
            and all(_apart(fields[name], _stored(op), op) is not None for name, op in stores)
            and None not in changed
        )
        for (name, _), around in zip(stores, changed, strict=True):
            for op in around or () if web.is_local else ():
                self.changed[op][web.makes[0].output, name] = name, _flat(fields[name])

    def _changes(self, store: Operation, make: Operation) -> list[Operation] | None:
        """The operations between the two whose block has the store in it; None where one does not hand on
        what was stored."""
        found = []
        block = self._around[store]
        while block is not self._around[make]:
            op, _ = self._of_blocks[id(block)]
            if not is_handed_on(block, op):
                return None
            found.append(op)
            block = self._around[op]
        return found


def _fields(web: _Web) -> dict[str, Pattern] | None:
    """What somebody wants to know of the objects of a web; None where that cannot be said."""
    if any(len(patterns) > 1 for patterns in web.read.values()) or web.returned > 1:
        return None
    read = {name: next(iter(patterns)) for name, patterns in web.read.items()}
    if not web.returned:
        return read
    first, *others = [_structure(make) for make in web.makes]
    names = {*web.read, *map(str, map(_attribute, web.stores))}
    is_at_its_end = web.values == 1 and not names  # where it is made is as good
    if is_at_its_end or not names <= first.keys() or any(list(first) != list(other) for other in others):
        return None
    kinds = {name: _kind_of(web.makes[0], first[name]) for name in first}
    if any(kind is None or read.get(name, kind) != kind for name, kind in kinds.items()):
        return None
    return kinds  # type: ignore[return-value]


def _handed_on(op: Operation, k: int) -> Iterator[Value]:
    """All values that the k-th result of an `if` or a loop may be."""
    if op.name != "if":
        state = loop_state(op)
        yield state[k]
        yield from [block.params[len(block.params) - len(state) + k] for block in op.blocks]
    for block in op.blocks if op.name == "if" else op.blocks[-1:]:
        if block.ends == "yield":
            yield block.results[k]


# -- what is read, stored and made ---------------------------------------------------------------------


def _structure(op: Operation) -> Any:
    return op.attributes["template"].structure


def _attribute(op: Operation) -> str | None:
    """The name in the program of an attribute of the first input that is read or stored."""
    if op.name not in ("object.getattr", "object.setattr"):
        return None
    if "template" in op.attributes:
        owner, name, _ = _structure(op)
        return name if owner == Hole(0) and isinstance(name, str) else None
    maker = constant_of(op.inputs[1])
    name = None if maker is None else maker.attributes["value"]
    return name if isinstance(name, str) else None


def _stored(op: Operation) -> Any:
    """What is stored: a structure with holes for inputs."""
    return _structure(op)[2] if "template" in op.attributes else Hole(2)


def _is_made(make: Operation, name: str, pattern: Pattern, is_stored: bool) -> bool:
    """Does a new object hold what the pattern says, or nothing that anybody reads?"""
    held = _structure(make)
    return _apart(pattern, held[name], make) is not None if name in held else is_stored


def _kind_of(make: Operation, held: Any) -> Pattern | None:
    """Of what a new object holds, where it is a value of the graph, or a number."""
    if isinstance(held, Hole):
        kind = make.inputs[held.index].type
        return Typed(kind, class_of(kind))
    return Typed(type_of(held), type(held)) if type(held) in _NUMBERS else None


def _flat(pattern: Pattern) -> list[Type]:
    """The types of the flat values of what fits a pattern, see `item_patterns.py`."""
    if isinstance(pattern, OneOf):
        return [INT, *[kind for one in pattern.alternatives for kind in _flat(one)]]
    if isinstance(pattern, Row):
        return [kind for part in pattern.parts for kind in _flat(part)]
    return [pattern.kind] if isinstance(pattern, Typed) else []


def _apart(pattern: Pattern, held: Any, op: Operation) -> list[Any] | None:
    """The flat values of a structure: holes for inputs of the operation, constants, and `_NOBODY_READS`.

    None where it does not fit, as far as can be seen.
    """
    if isinstance(pattern, OneOf):
        found = [_apart(one, held, op) for one in pattern.alternatives]
        tag = next((k for k, parts in enumerate(found) if parts is not None), None)
        if tag is None:
            return None
        flat: list[Any] = [tag]
        for k, one in enumerate(pattern.alternatives):
            flat += found[k] or [] if k == tag else [_NOBODY_READS] * len(_flat(one))
        return flat
    if isinstance(pattern, Row):
        if not isinstance(held, tuple) or type(held) is not pattern.cls or len(held) != len(pattern.parts):
            return None
        parts = [_apart(part, one, op) for part, one in zip(pattern.parts, held, strict=True)]
        return None if None in parts else [one for part in parts if part for one in part]
    if isinstance(pattern, Same):
        return [] if held is pattern.value else None
    if isinstance(pattern, Text):
        return [] if type(held) is str and held == pattern.value else None
    if isinstance(held, Hole):
        fits = isinstance(pattern, Typed) and op.inputs[held.index].type == pattern.kind
    else:
        fits = isinstance(pattern, Typed) and type(held) in _NUMBERS and type_of(held) == pattern.kind
    return [held] if fits else None


# -- the graph without them ----------------------------------------------------------------------------


class _Replace(Promotion):
    def __init__(self, webs: _Webs) -> None:
        super().__init__()
        self.webs = webs
        #: what a reference of a web stands for: the flat values of each field
        self.parts: dict[Value, dict[str, tuple[Value, ...]]] = {}

    def graph(self, graph: Graph) -> Graph:
        body = Block([self.param(param) for param in graph.params])
        self.fill(body, Block(graph.body.params, graph.body.operations, (), graph.body.ends))
        if body.ends == "yield":
            for value in graph.results:
                if value in self.webs.local:
                    self._make(value, body)
            body.results = self.of(graph.results)
        return Graph(graph.name, body, dict(graph.info), graph.functions)

    def _make(self, value: Value, body: Block) -> None:
        """The object that is the result."""
        web = self.webs.local[value]
        first = web.makes[0]
        attributes = {
            "cls": first.attributes["cls"],
            "template": Template({name: Hole(k) for k, name in enumerate(web.fields)}),
        }
        inputs = tuple([one for name in web.fields for one in self._read(value, name)])
        made = Operation("object.make", inputs, (value.type,), attributes, location=first.location)
        self.replace((value,), body.append(made).outputs)

    def operation(self, op: Operation, block: Block) -> None:
        local = self.webs.local
        first = op.inputs[0] if op.inputs else None
        if op.outputs and op.outputs[0] in local and op.name in ("object.make", "undef"):
            debug.fired("an object that nobody else sees", op)
            self._born(op, block)
        elif op.name == "object.getattr" and first in local:
            self.replace(op.outputs, self._read(first, str(_attribute(op))))
        elif op.name == "object.setattr" and first in local:
            name = str(_attribute(op))
            if name in local[first].fields:
                self.now[first, name] = self._take_apart(local[first].fields[name], _stored(op), op, block)
        elif op.name == "is" and not local.keys().isdisjoint(op.inputs):
            same = op.inputs[0] is op.inputs[1]
            self.replace(op.outputs, (self.constant(same, op.output.type, op, block),))
        elif op.name in HANDS_ON:
            self.hand_on(op, block)
        else:
            block.append(self.copy(op))

    def _born(self, op: Operation, block: Block) -> None:
        """The values of a new object's fields."""
        held = _structure(op) if op.name == "object.make" else {}
        self.parts[op.output] = {}
        for name, pattern in self.webs.local[op.output].fields.items():
            if name in held:
                found = self._take_apart(pattern, held[name], op, block)
            else:
                found = tuple([self.undefined(kind, op, block) for kind in _flat(pattern)])
            self.now[op.output, name] = self.parts[op.output][name] = found

    def _take_apart(self, pattern: Pattern, held: Any, op: Operation, block: Block) -> tuple[Value, ...]:
        flat = _apart(pattern, held, op)
        assert flat is not None
        found = []
        for one, kind in zip(flat, _flat(pattern), strict=True):
            if isinstance(one, Hole):
                found.append(self.values[op.inputs[one.index]])
            elif one is _NOBODY_READS:
                found.append(self.undefined(kind, op, block))
            else:
                found.append(self.constant(one, kind, op, block))
        return tuple(found)

    def _read(self, owner: Value, name: str) -> tuple[Value, ...]:
        is_one = self.webs.local[owner].values == 1
        return self.now[owner, name] if is_one else self.parts[owner][name]

    def changed(self, op: Operation) -> Changed:
        return self.webs.changed.get(op, {})

    def spread(self, values: Iterable[Value]) -> Iterator[Value]:
        """The values of the copy, fields instead of references."""
        for value in values:
            if value in self.webs.local:
                for parts in self.parts[value].values():
                    yield from parts
            else:
                yield self.values[value]

    def types(self, values: Iterable[Value]) -> Iterator[Type]:
        for value in values:
            if value in self.webs.local:
                for pattern in self.webs.local[value].fields.values():
                    yield from _flat(pattern)
            else:
                yield value.type

    def stand(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        source = iter(new)
        for value in old:
            if value in self.webs.local:
                fields = self.webs.local[value].fields.items()
                self.parts[value] = {name: named(source, name, _flat(kind)) for name, kind in fields}
            else:
                self.replace((value,), (next(source),))
