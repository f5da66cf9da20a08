"""No object for the sake of a `raise`: an exception that nobody else sees is made where it is raised.

    _1: ValueError = object.make(x, cls=ValueError, template={'args': ('bad', Hole(0))})
    raise(_1)                                     # raise ValueError("bad", x)

So a path that ends in a `raise` is one operation. Where a handler uses the object, it stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.rewrite import Rebuild
from runtime.ops.instances import rebuild
from runtime.ops.template import Hole, Make, Template, tuple_of


def make_where_raised(graph: Graph) -> Graph:
    uses = Counter(value for op in graph.operations() for value in op.inputs)
    blocks = [graph.body, *[block for op in graph.operations() for block in op.blocks]]
    uses.update(value for block in blocks for value in block.results)
    found: dict[Value, Operation] = {}
    for block in blocks:
        made = {op.output: op for op in block.operations if op.makes_object}
        for op in block.operations if made else ():
            if op.is_raise and "template" in op.attributes:
                found |= {v: made[v] for v in op.inputs if v in made and uses[v] == 1 and _is_error(made[v])}
    return _MakeWhereRaised(found).graph(graph) if found else graph


def _is_error(make: Operation) -> bool:
    return issubclass(make.attributes["cls"], BaseException)


class _MakeWhereRaised(Rebuild):
    def __init__(self, found: Mapping[Value, Operation]) -> None:
        super().__init__()
        self.found = found

    def operation(self, op: Operation, block: Block) -> None:
        if op.makes_object and op.output in self.found:
            debug.fired("an exception that only its raise sees", op)
        elif op.is_raise and not self.found.keys().isdisjoint(op.inputs):
            block.append(self._raise(op))
            block.ends = "never"
        else:
            block.append(self.copy(op))

    def _raise(self, op: Operation) -> Operation:
        inputs: list[Value] = []
        parts: dict[int, Any] = {}
        for k, value in enumerate(op.inputs):
            make = self.found.get(value)
            given = (value,) if make is None else make.inputs
            places = {index: Hole(len(inputs) + index) for index in range(len(given))}
            parts[k] = places[0] if make is None else _made(make, places)
            inputs += given
        exception = op.attributes["exception"]
        structure = _filled(op.attributes["template"].structure, parts)
        first = structure[0]
        if (
            exception is None
            and len(structure) == 1
            and isinstance(first, Make)
            and _is_as_written(*first.args)
        ):
            exception, structure = first.args[0], (first.args[1], {})
        attributes = {**op.attributes, "exception": exception, "template": Template(structure)}
        return Operation(op.name, self.of(inputs), (), attributes, (), op.location)


def _made(make: Operation, places: Mapping[int, Any]) -> Make:
    held = dict(_filled(make.attributes["template"].structure, places))
    return Make(rebuild, (make.attributes["cls"], held.pop("args", ()), held))


def _is_as_written(cls: type, args: tuple[Any, ...], attributes: dict[str, Any]) -> bool:
    return not attributes and cls.__module__ == "builtins"


def _filled(structure: Any, places: Mapping[int, Any]) -> Any:
    """A structure with other things in its holes."""
    if isinstance(structure, Hole):
        return places[structure.index]
    if isinstance(structure, tuple):
        return tuple_of(structure, [_filled(part, places) for part in structure])
    if type(structure) is list:
        return [_filled(part, places) for part in structure]
    if type(structure) is dict:
        return {key: _filled(part, places) for key, part in structure.items()}
    if isinstance(structure, slice):
        return slice(*[_filled(part, places) for part in (structure.start, structure.stop, structure.step)])
    if isinstance(structure, Make):
        args, kwargs = _filled(structure.args, places), _filled(structure.kwargs, places)
        return Make(structure.function, args, kwargs)
    return structure
