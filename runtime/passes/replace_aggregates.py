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
from collections.abc import Iterable, Iterator

from runtime import debug
from runtime.graph.core import Block, Graph, Operation, Value
from runtime.graph.effects import loop_state
from runtime.graph.rewrite import Rebuild, constant_of
from runtime.ops.item_patterns import Typed
from runtime.ops.template import Hole, Template
from runtime.types import InstanceType, Type, type_of

#: what these hand on is known by its place; of other operations with blocks it is not
_HANDS_ON = frozenset({"if", "while", "for"})


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
        #: attributes that are read, and the types that they are read as
        self.read: dict[str, set[Type]] = {}
        self.stores: list[Operation] = []
        #: what is handed on instead of the objects
        self.fields: dict[str, Type] = {}


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
        self.changed: dict[Operation, dict[tuple[Value, str], Type]] = defaultdict(dict)
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
            for k, output in enumerate(op.outputs if op.name in _HANDS_ON else ()):
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
            if op.name == "object.make" and isinstance(op.attributes["template"].structure, dict):
                self[op.output].makes.append(op)
            elif op.name not in _HANDS_ON and op.name != "undef":
                self._spoil(op.outputs)
            if op.name not in _HANDS_ON:
                self._spoil(op.inputs[self._is_access(op) :] if op.name != "is" else self._compared(op))
            for nested in op.blocks:
                self._look(nested)
                if op.name not in _HANDS_ON:
                    self._spoil((*nested.params, *nested.results))

    def _is_access(self, op: Operation) -> bool:
        """Is it an attribute of the first input that is read or stored?"""
        name = _attribute(op)
        if name is None:
            return False
        web = self[op.inputs[0]]
        if op.name == "object.setattr":
            web.stores.append(op)
        elif len(op.outputs) == 1 and isinstance(op.attributes["reader"].pattern, Typed):
            web.read.setdefault(name, set()).add(op.output.type)
        else:
            return False
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
        stores = [(name, op) for op in web.stores if (name := _attribute(op)) in fields]
        changed = [self._changes(op, web.makes[0]) for _, op in stores]
        web.is_local = (
            all(_holds(make, name, kind, bool(stores)) for make in web.makes for name, kind in fields.items())
            and all(op.inputs[2].type == fields[name] for name, op in stores)
            and (not stores or (web.values == 1 and None not in changed))
        )
        for (name, _), around in zip(stores, changed, strict=True):
            for op in around or () if web.is_local else ():
                self.changed[op][web.makes[0].output, name] = fields[name]

    def _changes(self, store: Operation, make: Operation) -> list[Operation] | None:
        """The operations between the two whose block has the store in it; None where one does not hand on
        what was stored."""
        found = []
        block = self._around[store]
        while block is not self._around[make]:
            op, _ = self._of_blocks[id(block)]
            if op.name not in _HANDS_ON or (op.name != "if" and block is not op.blocks[-1]):
                return None
            found.append(op)
            block = self._around[op]
        return found


def _fields(web: _Web) -> dict[str, Type] | None:
    """What somebody wants to know of the objects of a web; None where that cannot be said."""
    if any(len(types) > 1 for types in web.read.values()) or web.returned > 1:
        return None
    read = {name: next(iter(types)) for name, types in web.read.items()}
    if not web.returned:
        return read
    first, *others = [make.attributes["template"].structure for make in web.makes]
    names = {*web.read, *filter(None, map(_attribute, web.stores))}
    is_at_its_end = web.values == 1 and not names  # where it is made is as good
    if is_at_its_end or not names <= first.keys() or any(list(first) != list(other) for other in others):
        return None
    kinds = {name: _kind_of(web.makes[0], name) for name in first}
    return None if None in kinds.values() else {**kinds, **read}  # type: ignore[dict-item]


def _handed_on(op: Operation, k: int) -> Iterator[Value]:
    """All values that the k-th result of an `if` or a loop may be."""
    if op.name != "if":
        state = loop_state(op)
        yield state[k]
        yield from [block.params[len(block.params) - len(state) + k] for block in op.blocks]
    for block in op.blocks if op.name == "if" else op.blocks[-1:]:
        if block.ends == "yield":
            yield block.results[k]


def _attribute(op: Operation) -> str | None:
    """The name in the program of an attribute that is read or stored."""
    if op.name not in ("object.getattr", "object.setattr") or "template" in op.attributes:
        return None
    maker = constant_of(op.inputs[1])
    name = None if maker is None else maker.attributes["value"]
    return name if isinstance(name, str) else None


def _holds(make: Operation, name: str, kind: Type, is_stored: bool) -> bool:
    """Does a new object hold a value of that type, or nothing that anybody reads?"""
    if name not in make.attributes["template"].structure:
        return is_stored
    return _kind_of(make, name) == kind


def _kind_of(make: Operation, name: str) -> Type | None:
    """The type of what a new object holds, where it is a value of the graph, or a number."""
    held = make.attributes["template"].structure[name]
    if isinstance(held, Hole):
        return make.inputs[held.index].type
    return type_of(held) if type(held) in (int, float, bool, complex) else None


# -- the graph without them ----------------------------------------------------------------------------


class _Replace(Rebuild):
    def __init__(self, webs: _Webs) -> None:
        super().__init__()
        self.webs = webs
        #: what a reference of a web stands for: the values of its fields, in their order
        self.parts: dict[Value, tuple[Value, ...]] = {}
        #: what the attributes of an object hold here, of which there is one name
        self.now: dict[tuple[Value, str], Value] = {}

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
        held = {name: Hole(k) for k, name in enumerate(web.fields)}
        attributes = {"cls": first.attributes["cls"], "template": Template(held)}
        inputs = tuple([self._read(value, name) for name in held])
        made = Operation("object.make", inputs, (value.type,), attributes, location=first.location)
        self.replace((value,), body.append(made).outputs)

    def operation(self, op: Operation, block: Block) -> None:
        local = self.webs.local
        first = op.inputs[0] if op.inputs else None
        if op.outputs and op.outputs[0] in local and op.name in ("object.make", "undef"):
            debug.fired("an object that nobody else sees", op)
            self._born(op, block)
        elif op.name == "object.getattr" and first in local:
            self.replace(op.outputs, (self._read(first, str(_attribute(op))),))
        elif op.name == "object.setattr" and first in local:
            self.now[first, str(_attribute(op))] = self.values[op.inputs[2]]
        elif op.name == "is" and not local.keys().isdisjoint(op.inputs):
            same = op.inputs[0] is op.inputs[1]
            made = Operation("constant", (), (op.output.type,), {"value": same}, location=op.location)
            self.replace(op.outputs, block.append(made).outputs)
        elif op.name in _HANDS_ON:
            self._hand_on(op, block)
        else:
            block.append(self.copy(op))

    def _born(self, op: Operation, block: Block) -> None:
        """The values of a new object's fields."""
        web = self.webs.local[op.output]
        held = op.attributes["template"].structure if op.name == "object.make" else {}
        found = []
        for name, kind in web.fields.items():
            if isinstance(held.get(name), Hole):
                value = self.values[op.inputs[held[name].index]]
            else:
                made = ("constant", {"value": held[name]}) if name in held else ("undef", {})
                value = block.append(Operation(made[0], (), (kind,), made[1], location=op.location)).output
            self.now[op.output, name] = value
            found.append(value)
        self.parts[op.output] = tuple(found)

    def _read(self, owner: Value, name: str) -> Value:
        web = self.webs.local[owner]
        if web.values == 1:
            return self.now[owner, name]
        return self.parts[owner][list(web.fields).index(name)]

    def _spread(self, values: Iterable[Value]) -> Iterator[Value]:
        """The values of the copy, fields instead of references."""
        for value in values:
            if value in self.webs.local:
                yield from self.parts[value]
            else:
                yield self.values[value]

    def _types(self, values: Iterable[Value]) -> list[Type]:
        local = self.webs.local
        return [t for v in values for t in (local[v].fields.values() if v in local else (v.type,))]

    def _stand(self, old: Iterable[Value], new: Iterable[Value]) -> None:
        """``new`` values, fields instead of references, stand for the old ones."""
        source = iter(new)
        for value in old:
            if value in self.webs.local:
                fields = self.webs.local[value].fields
                self.parts[value] = tuple([self._named(next(source), name) for name in fields])
            else:
                self.replace((value,), (next(source),))

    def _named(self, value: Value, name: str) -> Value:
        value.hint = value.hint or name
        return value

    def _hand_on(self, op: Operation, block: Block) -> None:
        """An `if` or a loop, with what its blocks store among its results."""
        changed = self.webs.changed.get(op, {})
        state = loop_state(op)
        fixed = op.inputs[: len(op.inputs) - len(state)]
        before = [self.now[place] for place in changed] if op.name != "if" else []
        inputs = (*self.of(fixed), *self._spread(state), *before)
        blocks = tuple([self._block(nested, op, changed) for nested in op.blocks])
        types = (*self._types(op.outputs), *changed.values())
        made = block.append(Operation(op.name, inputs, types, op.attributes, blocks, op.location))
        kept = len(made.outputs) - len(changed)
        self._stand(op.outputs, made.outputs[:kept])
        for (owner, name), value in zip(changed, made.outputs[kept:], strict=True):
            self.now[owner, name] = self._named(value, name)

    def _block(self, block: Block, op: Operation, changed: dict[tuple[Value, str], Type]) -> Block:
        now = dict(self.now)
        params = [Value(kind) for kind in self._types(block.params)]
        self._stand(block.params, params)
        copy = Block(params)
        if op.name != "if":
            for (owner, name), kind in changed.items():
                self.now[owner, name] = Value(kind, name)
                params.append(self.now[owner, name])
        self.fill(copy, Block(block.params, block.operations, (), block.ends))
        if copy.ends == "yield":
            hands_on = op.name == "if" or block is op.blocks[-1]
            after = [self.now[place] for place in changed] if hands_on else []
            copy.results = (*self._spread(block.results), *after)
        self.now = now
        return copy
