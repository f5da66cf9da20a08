"""Which objects of a graph are seen by nobody but loads of, and stores to, their attributes.

Where paths meet, or a loop goes round, a value may stand for one of several of them: they are a *web*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.rewrite import constant_of
from runtime.ops.item_patterns import Pattern
from runtime.ops.template import Hole, Template
from runtime.types import InstanceType


class Web:
    """Objects that may stand for each other."""

    def __init__(self) -> None:
        self.makes: list[Operation] = []
        self.accesses: list[Operation] = []
        self.values = 0
        self.returned = 0  # how often it is a result of the graph
        self.escapes = False  # somebody else may see it, before it is returned
        #: what somebody reads, by the names of attributes
        self.kinds: dict[str, Pattern] = {}


class Webs:
    """Those of a graph. ``of``: by each value that is one."""

    def __init__(self, graph: Graph) -> None:
        self.of: dict[Value, Web] = {}
        self._join(graph)
        self._expose(graph.params)
        for value in filter(_is_object, graph.results):
            self[value].returned += 1
        self._look(graph.body)

    def __getitem__(self, value: Value) -> Web:
        """The web of a reference."""
        if value not in self.of:
            self.of[value] = Web()
            self.of[value].values = 1
        return self.of[value]

    def __iter__(self) -> Iterator[Web]:
        return iter(dict.fromkeys(self.of.values()))

    def _join(self, graph: Graph) -> None:
        """Put into one web what is handed on as one value."""
        leaders: dict[Value, Value] = {}

        def leader(value: Value) -> Value:
            while leaders.setdefault(value, value) is not value:
                value = leaders[value]
            return value

        for op in graph.operations():
            for k, output in enumerate(op.outputs if op.hands_on else ()):
                for value in _handed_on(op, k) if _is_object(output) else ():
                    leaders[leader(value)] = leader(output)
        found: dict[Value, Web] = {}
        for value in leaders:
            self.of[value] = found.setdefault(leader(value), Web())
            self.of[value].values += 1

    def _expose(self, *groups: Any) -> None:
        for values in groups:
            for value in filter(_is_object, values):
                self[value].escapes = True

    def _look(self, block: Block) -> None:
        """At all that is done to references."""
        for op in block.operations:
            if not op.hands_on:
                self._look_at(op)
            for nested in op.blocks:
                self._look(nested)
                if not op.hands_on:
                    self._expose(nested.params, nested.results)

    def _look_at(self, op: Operation) -> None:
        if op.makes_object and isinstance(op.attributes["template"].structure, dict):
            self[op.output].makes.append(op)
        elif not op.is_undef:
            self._expose(op.outputs)
        if op.compares_identity:
            self._compare(op)
        elif is_access(op):
            self[op.inputs[0]].accesses.append(op)
            self._expose(op.inputs[1:])
        else:
            self._expose(op.inputs)
        if op.is_derivative:  # with respect to what an operation gave: what is read stays read
            makers = [value.owner for value in op.inputs[op.attributes["results"] :]]
            self._expose(*[maker.inputs[:1] for maker in makers if maker is not None and is_access(maker)])

    def _compare(self, op: Operation) -> None:
        """Two of one web may be one object, or not: they keep their identity."""
        references = list(filter(_is_object, op.inputs))
        is_open = len(set(references)) > len({self[value] for value in references})
        if is_open or len(op.inputs) != 2:
            self._expose(references)


def is_access(op: Operation) -> bool:
    """Does it load or store an attribute, of which the graph says the name?"""
    return op.is_attribute and _is_object(op.inputs[0]) and name_of(op) is not None


def name_of(op: Operation) -> str | None:
    """The name in the program of an attribute of the first input that is read or stored."""
    owner, name, *others = arguments_of(op)
    if isinstance(name, Hole):
        maker = constant_of(op.inputs[name.index])
        name = None if maker is None else maker.attributes["value"]
    is_owner = owner == Hole(0) and 0 not in Template(tuple(others)).holes()
    return name if is_owner and isinstance(name, str) else None


def arguments_of(op: Operation) -> tuple[Any, ...]:
    """The arguments of an operation: structures with holes for its inputs."""
    template = op.attributes.get("template")
    return tuple(map(Hole, range(len(op.inputs)))) if template is None else tuple(template.structure)


def _is_object(value: Value) -> bool:
    return isinstance(value.type, InstanceType)


def _handed_on(op: Operation, k: int) -> Iterator[Value]:
    """All values that the k-th result of an `if` or a loop may be."""
    if not op.is_branch:
        state = loop_state(op)
        yield state[k]
        yield from [block.params[len(block.params) - len(state) + k] for block in op.blocks]
    for block in op.handing_on:
        if block.ends == "yield":
            yield block.results[k]
