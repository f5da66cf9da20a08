"""Leave out what nobody needs: operations, results of branches, what a loop carries for nothing, and what
a handler is given.

>>> from runtime.formats.parse import parse
>>> print(remove_dead_code(parse('''
... graph f(n: int) -> int:
...     k: int, junk: int = for i: int in range(0, n, 1) with k: int = 0, junk: int = 1:
...         k.2: int = py.add(k, i)
...         junk.2: int = py.add(junk, junk)
...         yield k.2, junk.2
...     return k
... ''')), end="")
graph f(n: int) -> int:
    k: int = for i: int in range(0, n, 1) with k: int = 0:
        k.2: int = py.add(k, i)
        yield k.2
    return k

What may raise stays although its result is unused; but an int that outgrows 64 bits raises only here,
not in Python, so such an operation goes.

A list, a dict or an object that was made here goes with the stores to it, where nobody needs it, by whatever
name. A store stays that may raise: `certain` says that the trace knew the items, and Python's own method
did not raise.

Leaving out results of an `if` or a loop: what its blocks yield, and what a loop carries, for them.

Take out of a loop's state what the loop never changes, and of what a `try` hands on what is alike always.

>>> from runtime.formats.parse import parse
>>> print(remove_constant_state(parse('''
... graph f(x: float, n: int) -> float:
...     t: float, y: float = for i: int in range(0, n, 1) with t: float = 0.0, y: float = x:
...         t.2: float = py.add(t, y)
...         yield t.2, y
...     z: float = py.add(t, y)
...     return z
... ''')), end="")
graph f(x: float, n: int) -> float:
    t: float = for i: int in range(0, n, 1) with t: float = 0.0:
        t.2: float = py.add(t, x)
        yield t.2
    z: float = py.add(t, x)
    return z

A handler gets what variables held when the exception was raised: one value, where all landings say so. And
a `try` whose body and handler end with one value need not hand it on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, loop_state, walk
from runtime.graph.effects import effects_of, fields_of, has_own_effect
from runtime.graph.rewrite import Rebuild, is_undefined
from runtime.ops.definition import REGISTRY
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.template import Make, Template


class KeepResults(Rebuild):
    """A rewrite that keeps some of the results of control flow."""

    def keep(self, op: Operation, kept: list[int]) -> Operation:
        """A copy with these results only, and the state that they are of."""
        fixed = len(op.inputs) - len(loop_state(op))
        if op.is_branch or op.is_try:
            inputs = op.inputs
            blocks = [self._branch(block, kept) for block in op.blocks]
        else:
            inputs = op.inputs[:fixed] + tuple([op.inputs[fixed + k] for k in kept])
            blocks = [self._loop_block(block, op, kept) for block in op.blocks]
        types = tuple([op.outputs[k].type for k in kept])
        copy = Operation(op.name, self.of(inputs), types, op.attributes, tuple(blocks), op.location)
        self.replace([op.outputs[k] for k in kept], copy.outputs)
        return copy

    def _branch(self, block: Block, kept: list[int]) -> Block:
        results = tuple([block.results[k] for k in kept]) if block.ends == "yield" else ()
        return self.block(Block(self.params_of(block), block.operations, results, block.ends))

    def params_of(self, block: Block) -> list[Value]:
        """Of a branch, or of the body or the handler of a `try`."""
        return block.params

    def _loop_block(self, block: Block, op: Operation, kept: list[int]) -> Block:
        skipped = len(block.params) - len(op.outputs)
        params = block.params[:skipped] + [block.params[skipped + k] for k in kept]
        results = block.results
        if block is op.blocks[-1] and block.ends == "yield":
            results = tuple([results[k] for k in kept])
        return self.block(Block(params, block.operations, results, block.ends))


def remove_dead_code(graph: Graph) -> Graph:
    needs = _Needs(graph)
    return graph if needs.everything else _RemoveDead(needs).graph(graph)


class _Needs:
    """Which values and operations are needed, found from what is returned and from the effects."""

    def __init__(self, graph: Graph) -> None:
        self.values: set[Value] = set()
        self.operations: set[Operation] = set()
        self.todo: list[Value] = []
        #: a parameter of a loop's block -> the values that it gets, the loop's other blocks' included
        self.sources: dict[Value, tuple[Value, ...]] = {}
        self.parents: dict[Operation, Operation | None] = {}
        self.handlers: dict[int, Block] = {}  # by the number of the region
        #: stores to lists, dicts and objects that are made here: by these, of which each may be meant
        self.stores: dict[Value, list[Operation]] = defaultdict(list)
        self.scan(graph.body, None)
        self.note_landings()
        for op in self.parents:
            if op.is_mark or (has_own_effect(op) and not makes_quietly(op)):
                self.need_or_wait(op)
        self.need(graph.results)
        while self.todo:
            self.trace_back(self.todo.pop())

    @property
    def everything(self) -> bool:
        """Is there nothing to leave out?"""
        results = (op.outputs for op in self.operations if op.is_control)
        given = (block.params[1:] for block in self.handlers.values())
        return len(self.operations) == len(self.parents) and all(
            map(self.values.issuperset, (*results, *given))
        )

    def scan(self, block: Block, parent: Operation | None) -> None:
        """Note what loops carry, and where operations stand."""
        for op in block.operations:
            for nested in op.blocks:
                self.scan(nested, op)
            self.note_state(op)
            self.parents[op] = parent
            if op.is_try:
                self.handlers[op.attributes["region"]] = op.blocks[1]

    def note_state(self, op: Operation) -> None:
        if not op.is_loop:
            return
        body = op.blocks[-1]
        for k, initial in enumerate(loop_state(op)):
            params = [block.params[len(block.params) - len(loop_state(op)) + k] for block in op.blocks]
            following = (body.results[k],) if body.ends == "yield" else ()
            for value in (*params, op.outputs[k]):
                self.sources[value] = (initial, *following, *params, op.outputs[k])

    def note_landings(self) -> None:
        """What a handler gets, of each place in the body that may raise."""
        given: dict[Value, list[Value]] = {}
        for op in self.parents:
            handler = self.handler_of(op)
            for param, value in zip(handler.params[1:], op.inputs, strict=True) if handler else ():
                given.setdefault(param, []).append(value)
        self.sources |= {param: tuple(values) for param, values in given.items()}

    def handler_of(self, op: Operation) -> Block | None:
        """Of a landing, where it is in the graph."""
        return self.handlers.get(op.attributes["region"]) if op.is_landing else None

    def need(self, values: Iterable[Value]) -> None:
        for value in values:
            if value not in self.values:
                self.values.add(value)
                self.todo.append(value)

    def trace_back(self, value: Value) -> None:
        for store in self.stores.get(value, ()):
            self.need_operation(store)
        self.need(self.sources.get(value, ()))
        op = value.owner
        if op is None:
            return
        self.need_operation(op)
        if op.is_branch or op.is_try:
            k = op.outputs.index(value)
            self.need(block.results[k] for block in op.blocks if block.ends == "yield")

    def need_or_wait(self, op: Operation) -> None:
        """Needed by itself, or a store that is needed where somebody needs what it is stored to."""
        makers = self.makers(op.inputs[0]) if _stores_quietly(op) else None
        if makers is None:
            self.need_operation(op)
        for made in makers or ():
            self.stores[made].append(op)

    def makers(self, value: Value) -> list[Value] | None:
        """All that a reference may be, where that was made here; None where it may be something else."""
        found, waiting, seen = [], [value], {value}
        while waiting:
            one = waiting.pop()
            op = one.owner
            if op is not None and makes_quietly(op):
                found.append(one)
                continue
            sources = self.sources.get(one, ())
            if op is not None and (op.is_branch or op.is_try):
                k = op.outputs.index(one)
                sources = tuple([block.results[k] for block in op.blocks if block.ends == "yield"])
            if not sources and (op is None or not op.is_undef):
                return None
            waiting += [source for source in sources if source not in seen]
            seen.update(sources)
        return found

    def need_operation(self, op: Operation | None) -> None:
        """The operation runs, hence also those that it stands in, and what decides about them."""
        while op is not None and op not in self.operations:
            self.operations.add(op)
            if op.is_loop:
                self.need(op.inputs[:3] if op.is_counted else ())
                for test in op.blocks[:-1]:
                    self.need(test.results)
            elif self.handler_of(op) is None:
                self.need(op.inputs)
            if not op.is_control:
                for block in op.blocks:
                    self.need(block.results)
                self.need(op.outputs if op.blocks else ())
            op = self.parents[op]


def _stores_quietly(op: Operation) -> bool:
    """Does it nothing but change its first input, and surely does not raise?"""
    effects = effects_of(op)
    is_certain = effects.raises == "memory" or bool(op.attributes.get("certain"))
    return effects.writes == (0,) and bool(fields_of(op)) and is_certain


def makes_quietly(op: Operation) -> bool:
    """Is it a new list, dict or object, whose making nobody sees?"""
    if "literal" in REGISTRY[op.name].traits:
        return _is_plain(op.attributes["template"].structure)
    return bool(op.attributes.get("certain")) and not effects_of(op).writes


def _is_plain(part: Any) -> bool:
    if isinstance(part, Make):  # of what a run knows, it may ask for a hash
        return part.function in CONTAINERS.values() and not Template(part.args).holes()
    if isinstance(part, dict):
        return not Template(list(part)).holes() and all(map(_is_plain, part.values()))
    return not isinstance(part, tuple | list) or all(map(_is_plain, part))


class _RemoveDead(KeepResults):
    def __init__(self, needs: _Needs) -> None:
        super().__init__()
        self.needs = needs

    def operation(self, op: Operation, block: Block) -> None:
        if op not in self.needs.operations:
            if not op.is_constant:
                debug.fired("nobody needs it", op)
        elif op.is_control:
            kept = [k for k, output in enumerate(op.outputs) if output in self.needs.values]
            block.append(self.keep(op, kept))
        elif (handler := self.needs.handler_of(op)) is not None:
            given = [
                value
                for param, value in zip(handler.params[1:], op.inputs, strict=True)
                if param in self.needs.values
            ]
            block.append(Operation(op.name, self.of(given), (), op.attributes, (), op.location))
        else:
            block.append(self.copy(op))

    def params_of(self, block: Block) -> list[Value]:
        """Of a branch, or of the body or the handler of a `try`."""
        return [*block.params[:1], *(param for param in block.params[1:] if param in self.needs.values)]


def remove_constant_state(graph: Graph) -> Graph:
    tries = _tries(graph)
    found = any(map(_constant_state, graph.operations())) or any(
        each.handed or each.given for each in tries.values()
    )
    return _RemoveConstantState(tries).graph(graph) if found else graph


class _RemoveConstantState(KeepResults):
    def __init__(self, tries: dict[int, _Alike]) -> None:
        super().__init__()
        self.tries = tries

    def operation(self, op: Operation, block: Block) -> None:
        if op.is_try or op.is_landing:
            self._hand_on(op, self.tries[op.attributes["region"]], block)
            return
        constant = _constant_state(op)
        if not constant:
            block.append(self.copy(op))
            return
        debug.fired("never changed by the loop", op)
        state = loop_state(op)
        kept = [k for k in range(len(state)) if k not in constant]
        for k in constant:
            stays = self.values[state[k]]
            self.values[op.outputs[k]] = stays
            for nested in op.blocks:
                self.values[nested.params[len(nested.params) - len(state) + k]] = stays
        block.append(self.keep(op, kept))

    def _hand_on(self, op: Operation, alike: _Alike, block: Block) -> None:
        """A `try` or a landing, without what is alike always."""
        if op.is_landing:
            kept = tuple([x for k, x in enumerate(op.inputs) if k not in alike.handed])
            block.append(self.derive(op, self.of(kept), ()))
            return
        if alike.handed or alike.given:
            debug.fired("alike always", op)
        body, handler = op.blocks
        error, *params = handler.params
        for k, value in alike.handed.items():
            self.values[params[k]] = self.values[value]
        for k, value in alike.given.items():
            self.values[op.outputs[k]] = self.values[value]
        params = [error, *[param for k, param in enumerate(params) if k not in alike.handed]]
        kept_outputs = [y for k, y in enumerate(op.outputs) if k not in alike.given]
        blocks = []
        for each, given in ((body, body.params), (handler, params)):
            results = tuple([x for k, x in enumerate(each.results) if k not in alike.given])
            blocks.append(self.block(Block(given, each.operations, results, each.ends)))
        types = tuple([y.type for y in kept_outputs])
        made = Operation("try", self.of(op.inputs), types, op.attributes, tuple(blocks), op.location)
        self.replace(kept_outputs, block.append(made).outputs)


class _Alike(NamedTuple):
    """What a `try` hands on that is one value from outside always: to its handler, and as its results."""

    handed: dict[int, Value]
    given: dict[int, Value]


def _tries(graph: Graph) -> dict[int, _Alike]:
    """By their regions."""
    tries = [op for op in graph.operations() if op.is_try]
    landings: dict[int, list[Operation]] = defaultdict(list)
    for op in graph.operations() if tries else ():
        if op.is_landing:
            landings[op.attributes["region"]].append(op)
    return {op.attributes["region"]: _alike(op, landings[op.attributes["region"]]) for op in tries}


def _alike(op: Operation, landings: list[Operation]) -> _Alike:
    inside = {value for block in op.blocks for value in block.params}
    for each in (each for block in op.blocks for each in walk(block)):
        inside.update(each.outputs)
        inside.update(value for block in each.blocks for value in block.params)
    handed, given = {}, {}
    params = op.blocks[1].params[1:]
    for k, param in enumerate(params):
        values = {landing.inputs[k] for landing in landings}
        if (
            len(values) == 1
            and values.isdisjoint(inside)
            and {value.type for value in values} == {param.type}
        ):
            (handed[k],) = values
    for k, output in enumerate(op.outputs):
        results = [block.results[k] for block in op.blocks if block.ends == "yield"]
        values = {
            handed[params.index(x)] if x in params and params.index(x) in handed else x for x in results
        }
        if (
            len(values) == 1
            and values.isdisjoint(inside)
            and {value.type for value in values} == {output.type}
        ):
            (given[k],) = values
    return _Alike(handed, given)


def _constant_state(op: Operation) -> list[int]:
    """The places in the state where the body yields what it was given, or the value from before the loop.

    Or what nobody reads: the value from before the loop is as good.
    """
    body = op.blocks[-1] if op.blocks else None
    if not op.is_loop or body is None or body.ends == "never":
        return []
    state = loop_state(op)
    skipped = len(body.params) - len(state)
    return [
        k
        for k, initial in enumerate(state)
        if (body.results[k] in (body.params[skipped + k], initial) or is_undefined(body.results[k]))
        and _one_type(op, k, initial)
    ]


def _one_type(op: Operation, k: int, initial: Value) -> bool:
    """Known alike everywhere: a sharper type in the loop could make a run-time error come now."""
    places = [block.params[len(block.params) - len(loop_state(op)) + k] for block in op.blocks]
    return all(value.type == initial.type for value in (*places, op.outputs[k]))
