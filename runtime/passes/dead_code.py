"""Leave out what nobody needs: operations, results of branches, and what a loop carries for nothing.

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


#: operations of whose results each may go by itself
_PRUNED = frozenset({"if", "while", "for"})


class _Needs:
    """Which values and operations are needed, found from what is returned and from the effects."""

    def __init__(self, graph: Graph) -> None:
        self.values: set[Value] = set()
        self.operations: set[Operation] = set()
        self.todo: list[Value] = []
        #: a parameter of a loop's block -> the values that it gets, the loop's other blocks' included
        self.sources: dict[Value, tuple[Value, ...]] = {}
        self.parents: dict[Operation, Operation | None] = {}
        self.scan(graph.body, None)
        for op in self.parents:
            if has_own_effect(op):
                self.need_operation(op)
        self.need(graph.results)
        while self.todo:
            self.trace_back(self.todo.pop())

    @property
    def everything(self) -> bool:
        """Is there nothing to leave out?"""
        results = (op.outputs for op in self.operations if op.name in _PRUNED)
        return len(self.operations) == len(self.parents) and all(map(self.values.issuperset, results))

    def scan(self, block: Block, parent: Operation | None) -> None:
        """Note what loops carry, and where operations stand."""
        for op in block.operations:
            for nested in op.blocks:
                self.scan(nested, op)
            self.note_state(op)
            self.parents[op] = parent

    def note_state(self, op: Operation) -> None:
        if op.name not in ("while", "for"):
            return
        body = op.blocks[-1]
        for k, initial in enumerate(loop_state(op)):
            params = [block.params[len(block.params) - len(loop_state(op)) + k] for block in op.blocks]
            following = (body.results[k],) if body.ends == "yield" else ()
            for value in (*params, op.outputs[k]):
                self.sources[value] = (initial, *following, *params, op.outputs[k])

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
        if op.name == "if":
            k = op.outputs.index(value)
            self.need(block.results[k] for block in op.blocks if block.ends == "yield")

    def need_operation(self, op: Operation | None) -> None:
        """The operation runs, hence also those that it stands in, and what decides about them."""
        while op is not None and op not in self.operations:
            self.operations.add(op)
            if op.name in ("while", "for"):
                self.need(op.inputs[:3] if op.name == "for" else ())
                for test in op.blocks[:-1]:
                    self.need(test.results)
            else:
                self.need(op.inputs)
            if op.name not in _PRUNED:
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
            if op.name != "constant":
                debug.fired("nobody needs it", op)
        elif op.name in _PRUNED:
            kept = [k for k, output in enumerate(op.outputs) if output in self.needs.values]
            block.append(self.keep(op, kept))
        else:
            block.append(self.copy(op))
