"""Take out of a loop's state what the loop never changes, and of what a `try` hands on what is alike always.

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
from typing import NamedTuple

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, loop_state, walk
from runtime.graph.rewrite import is_undefined
from runtime.passes.keep_results import KeepResults


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
