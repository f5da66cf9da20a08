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
"""

from __future__ import annotations

from collections.abc import Iterable

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.effects import has_own_effect
from runtime.passes.keep_results import KeepResults


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
        self.scan(graph.body, None)
        self.note_landings()
        for op in self.parents:
            if has_own_effect(op):
                self.need_operation(op)
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
        self.need(self.sources.get(value, ()))
        op = value.owner
        if op is None:
            return
        self.need_operation(op)
        if op.is_branch or op.is_try:
            k = op.outputs.index(value)
            self.need(block.results[k] for block in op.blocks if block.ends == "yield")

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
