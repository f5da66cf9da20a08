"""Lists and dicts that nobody but the caller gets: each call builds them of their items, no run makes one.

    found: list[float] = list.new([x, y])
    list.append(found, z)
    return found                              return x, y, z

So what is returned has derivatives, and can be exported.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from runtime import tensor
from runtime.functions.plans import Boxed, Constant, Leaf, Plan, Returned, Shared, TupleOf
from runtime.graph import Block, Graph, Operation, Value, walk
from runtime.graph.effects import fields_of
from runtime.graph.liveness import walk_blocks
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole, Make
from runtime.passes import apply, remove_aggregates
from runtime.passes.dead_code import makes_quietly
from runtime.types import INT, ContainerType, ObjectType

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic)


def is_taken_apart(value: Value) -> bool:
    """May it be a list or dict that a call builds?"""
    return isinstance(value.type, ContainerType) and value.type.name in ("list", "dict")


class Seen:
    """Who sees the lists and dicts that a trace makes: which of them only their own operations know."""

    def __init__(self, bodies: Iterable[Block]) -> None:
        self._shown: set[Value] = set()  # given to somebody else
        self._held_by: dict[Value, set[Value]] = {}  # the containers in which one lies
        self._reads: set[Value] = set()  # those out of which objects are read
        self._apart: set[Value] = set()
        for block in (block for body in bodies for block in walk_blocks(body)):
            self._shown.update(block.results)
            for op in block.operations:
                self._look(op)

    def _look(self, op: Operation) -> None:
        if op.makes_container:
            owner, others = op.output, op.inputs
        elif _is_of_first(op):
            owner, others = op.inputs[0], op.inputs[1:]
            if any(isinstance(one.type, ObjectType) for one in op.outputs):
                self._reads.add(owner)
        else:
            self._shown.update(op.inputs)
            return
        for value in others:
            self._held_by.setdefault(value, set()).add(owner)

    def take_apart(self, value: Value) -> bool:
        """Does nobody know it but the caller, who gets one that is built of its items then? It may lie in
        others that are taken apart."""
        maker = value.owner
        is_new = maker is not None and (maker.makes_container or makes_quietly(maker))
        is_made = is_new and is_taken_apart(value)
        holders = self._held_by.get(value, set())
        if not is_made or value in self._shown or not holders <= self._apart or holders & self._reads:
            return False
        self._apart.add(value)
        return True


def _is_of_first(op: Operation) -> bool:
    """Does it read or change its first input, a container or an object, and nothing that lies in it?"""
    row, template = METHODS.get(op.name), op.attributes.get("template")
    if row is None or not row.moves_items:
        return op.is_unpacking or bool(fields_of(op))
    return template is None or template.structure[0] == Hole(0)


class ReturnedContainers:
    """The results of a graph. ``plans``: of those that are lists and dicts, by their places."""

    def __init__(self, graph: Graph, plans: dict[int, Returned]) -> None:
        self.graph = graph
        self.plans = plans
        self.numbers = itertools.count()

    def take_apart(self) -> bool:
        """Put items in the place of containers that are made to be returned; False where there is none."""
        found = False
        while self.plans and self._take_apart_once():
            found = True  # and now what lay in them is a result
        return found

    def _take_apart_once(self) -> bool:
        graph = self.graph = apply(remove_aggregates, self.graph)
        uses = Counter(_uses(graph))
        makers = {
            index: maker
            for index in self.plans
            if (maker := graph.results[index].owner) is not None
            and maker.makes_container
            and uses[maker.output] == 1
            and _is_built_of_values(maker.attributes["template"].structure)
        }
        graph.body.operations = [op for op in graph.body.operations if op not in set(makers.values())]
        for index, maker in makers.items():
            self._put_items(index, maker)
        return bool(makers)

    def _put_items(self, index: int, maker: Operation) -> None:
        results = list(self.graph.results)
        place = iter([index])

        def add(value: Value) -> int:
            """The first of the items takes the place of the container."""
            k = next(place, len(results))
            results[k : k + 1] = [value]
            return k

        plan = self.plans.pop(index)
        plan.plan = self._built(maker.attributes["template"].structure, maker.inputs, add)
        if next(place, None) is not None:
            nothing = self.graph.body.append(Operation("constant", (), (INT,), {"value": 0}))
            results[index] = nothing.output
        self.graph.body.results = tuple(results)

    def _built(self, part: Any, values: tuple[Value, ...], add: Any) -> Plan:
        """The plan for a part of the structure of a `list.new`."""
        if isinstance(part, Hole):
            value = values[part.index]
            leaf = Leaf(add(value))
            if not is_taken_apart(value):
                return leaf
            self.plans[leaf.leaf] = inner = Returned(leaf)
            return inner
        if isinstance(part, Make):
            return Boxed(add(values[part.args[0].index]))
        if isinstance(part, tuple):
            return TupleOf(type(part), tuple([self._built(one, values, add) for one in part]))
        if isinstance(part, list | dict):
            keys = tuple(part) if isinstance(part, dict) else None
            items = part.values() if isinstance(part, dict) else part
            return Shared(next(self.numbers), keys, tuple([self._built(one, values, add) for one in items]))
        return Constant(part)


def _uses(graph: Graph) -> Iterator[Value]:
    for op in walk(graph.body):
        yield from op.inputs
        for block in op.blocks:
            yield from block.results
    yield from graph.results


def _is_built_of_values(part: Any) -> bool:
    """Is it made of values, constants, tuples, lists and dicts alone?"""
    if isinstance(part, Hole) or type(part) in _CONSTANTS or isinstance(part, np.generic):
        return True
    if isinstance(part, Make):
        return part.function is tensor.Tensor and not part.kwargs and isinstance(part.args[0], Hole)
    if type(part) is tuple or type(part) is list:
        return all(map(_is_built_of_values, part))
    if type(part) is dict:
        return all(type(key) in _CONSTANTS for key in part) and all(map(_is_built_of_values, part.values()))
    return isinstance(part, tuple) and hasattr(type(part), "_make") and all(map(_is_built_of_values, part))
