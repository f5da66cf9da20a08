"""The functions of a graph: who calls whom, what they use from outside, what a call of them does.

A function's body may use nothing but its parameters. While it is traced it may refer to values of the
blocks around it; ``lift_free_values`` makes those parameters, and every call hands them on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from runtime.graph.core import Graph
from runtime.graph.effects import OUTSIDE, Memory
from runtime.graph.liveness import free_in
from runtime.graph.operations import Block, Operation, Value, walk
from runtime.graph.rewrite import Rebuild
from runtime.ops.definition import Effects


def calls_in(block: Block) -> Iterator[Operation]:
    """The calls of functions in a block, nested ones included."""
    return (op for op in walk(block) if op.is_call)


def reachable(body: Block, functions: Mapping[str, Graph]) -> dict[str, Graph]:
    """The functions that ``body`` calls, directly or not, in the order of first call."""
    found: dict[str, Graph] = {}
    todo = [body]
    while todo:
        for call in calls_in(todo.pop(0)):
            name = call.attributes["function"]
            if name not in found:
                found[name] = functions[name]
                todo.append(functions[name].body)
    return found


def lift_free_values(graph: Graph) -> None:
    """Make what functions use of the blocks around them parameters. Changes the graph in place."""
    free = {name: _movable(function) for name, function in graph.functions.items()}
    own = {name: _defined(function.body) for name, function in graph.functions.items()}
    changed = True
    while changed:
        changed = False
        for name, function in graph.functions.items():
            for call in calls_in(function.body):
                for value in free[call.attributes["function"]]:
                    if value not in own[name] and value not in free[name]:
                        free[name][value] = None
                        changed = True
    for part in (graph, *graph.functions.values()):
        _hand_on(part.body, free, {})
    for name, function in graph.functions.items():
        params = {value: Value(value.type, value.hint) for value in free[name]}
        function.body.params += params.values()
        _substitute(function.body, params)


def _hand_on(block: Block, free: Mapping[str, Mapping[Value, None]], inside: Mapping[Value, Value]) -> None:
    """Calls get what the functions use. Where a call stands in the block that makes such a value, and the
    value is known by the name that it has after that block (see `stage/with_statements.py`), ``inside`` has
    the other."""
    for op in block.operations:
        if op.is_call:
            op.inputs += tuple([inside.get(value, value) for value in free[op.attributes["function"]]])
        for nested in op.blocks:
            results = zip(op.outputs, nested.results, strict=False)
            _hand_on(nested, free, {**inside, **dict(results)} if op.is_try else inside)


def _movable(function: Graph) -> dict[Value, None]:
    """The free values of a function; constants among them are copied into it, and are free no more."""
    free: dict[Value, None] = {}
    constants: dict[Value, Value] = {}
    for value in free_in(function.body):
        maker = value.owner
        if maker is None or not maker.is_constant:
            free[value] = None
            continue
        copy = Operation("constant", (), (value.type,), maker.attributes, (), maker.location)
        copy.output.hint = value.hint
        function.body.operations.insert(0, copy)
        constants[value] = copy.output
    _substitute(function.body, constants)
    return free


def _defined(block: Block) -> set[Value]:
    found = set(block.params)
    for op in block.operations:
        found.update(op.outputs)
        for nested in op.blocks:
            found |= _defined(nested)
    return found


def _substitute(block: Block, values: Mapping[Value, Value]) -> None:
    if not values:
        return
    for op in block.operations:
        op.inputs = tuple([values.get(value, value) for value in op.inputs])
        for nested in op.blocks:
            _substitute(nested, values)
    block.results = tuple([values.get(value, value) for value in block.results])


def note_effects(graph: Graph) -> None:
    """Write into each call what it does: the union of what the function and those that it calls do."""
    effects = {name: Effects(reads=False, may_raise=True) for name in graph.functions}
    while True:
        for part in (graph, *graph.functions.values()):
            for call in calls_in(part.body):
                call.attributes = {**call.attributes, "effects": effects[call.attributes["function"]]}
        found = {name: _union(effects[name], effects_of_call(f)) for name, f in graph.functions.items()}
        if found == effects:
            return
        effects = found


def _union(a: Effects, b: Effects) -> Effects:
    writes = tuple(sorted({*a.writes, *b.writes}))
    return Effects(
        writes=writes,
        reads=a.reads or b.reads,
        ordered=a.ordered or b.ordered,
        may_raise=a.may_raise or b.may_raise,
    )


def effects_of_call(function: Graph) -> Effects:
    """What one call does, given what the calls in its body do."""
    memory = Memory(function, distinct_params=True)
    operations = function.body.operations
    written = frozenset().union(*[memory.writes(op) for op in operations])
    ordered = any(memory.is_ordered(op) for op in operations)
    return Effects(
        writes=tuple(
            [k for k, param in enumerate(function.params) if not memory.roots(param).isdisjoint(written)]
        ),
        reads=any(memory.reads(op) for op in operations),
        ordered=ordered or OUTSIDE in written,
        may_raise=True,
    )


def with_functions(name: str, body: Block, functions: Mapping[str, Graph]) -> Graph:
    """The graph of a body, with those of the functions that it may call; they share their table."""
    table: dict[str, Graph] = {}
    table |= {key: Graph(key, one.body, functions=table) for key, one in reachable(body, functions).items()}
    return Graph(name, body, functions=table)


def rename(graph: Graph, new: Callable[[str], str]) -> None:
    """Give its functions other names: they come beside those of another graph. Changes it in place."""
    names = {name: new(name) for name in graph.functions}
    for part in (graph, *graph.functions.values()):
        for call in calls_in(part.body):
            call.attributes = {**call.attributes, "function": names[call.attributes["function"]]}
    functions = {names[name]: function for name, function in graph.functions.items()}
    graph.functions.clear()
    graph.functions.update(functions)
    for name, function in functions.items():
        function.name = name


def inline_calls(graph: Graph) -> Graph:
    """A copy in which the operations of functions stand where these are called; none may call itself."""
    return Graph(graph.name, Inlined({}, graph.functions).block(graph.body), dict(graph.info))


class Inlined(Rebuild):
    """Copies operations, and in place of calls those of the functions. ``values``: what stands for others."""

    def __init__(self, values: dict[Value, Value], functions: Mapping[str, Graph]) -> None:
        super().__init__()
        self.values, self.functions = values, functions

    def of(self, values: Iterable[Value]) -> tuple[Value, ...]:
        return tuple([self.values.get(value, value) for value in values])

    def operation(self, op: Operation, block: Block) -> None:
        called = self.functions.get(op.attributes["function"]) if op.is_call else None
        if called is None:
            block.append(self.copy(op))
            return
        before = self.values
        self.values = dict(zip(called.params, self.of(op.inputs), strict=True))
        self.fill(block, called.body)
        self.values = before
        self.replace(op.outputs, block.results)


__all__ = [
    "Inlined",
    "calls_in",
    "effects_of_call",
    "inline_calls",
    "lift_free_values",
    "note_effects",
    "reachable",
    "rename",
    "with_functions",
]
