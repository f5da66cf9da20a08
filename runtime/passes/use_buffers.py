"""A list that is made here and seen by nobody else becomes a buffer (ops/buffers.py).

>>> from runtime.formats.parse import parse
>>> print(use_buffers(parse('''
... graph f(x: float, n: int) -> int:
...     items: list[float] = list.new([x])
...     for i: int in range(0, n, 1):
...         y: float = list.getitem(items, i)
...         z: float = py.mul(y, 0.5)
...         list.append(items, z)
...     k: int = list.len(items)
...     return k
... ''')), end="")
graph f(x: float, n: int) -> int:
    items: buffer[float] = buffer.new(item=float)
    buffer.append(items, x)
    for i: int in range(0, n, 1):
        y: float = buffer.item(items, i)
        z: float = py.mul(y, 0.5)
        buffer.append(items, z)
    k: int = buffer.len(items)
    return k

It is a list whose items are numbers of one type, and that by its one name is only appended to, read and
written by index, shortened at its end, asked for its length, sum, largest and smallest item, and made an
array. Where anything else is done to it, it stays a list. So do lists of arrays: these are references, and
a buffer would hold copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from runtime import debug
from runtime.graph.core import Block, Graph, Operation, Value
from runtime.graph.rewrite import clone
from runtime.ops.stacks import is_a_word
from runtime.ops.template import Hole, Template
from runtime.types import INT, OBJECT, ArrayType, BufferType, ContainerType, Type, type_of

#: in their blocks a list stays what it is by its name; a block of another kind has rules of its own
_BLOCKS = frozenset({"if", "while", "for", "try"})


def use_buffers(graph: Graph) -> Graph:
    if not _found(graph):
        return graph
    changed = _clone_of_one(graph)
    replace_lists(changed)
    return changed


def _clone_of_one(graph: Graph) -> Graph:
    """A copy of the graph; its functions stay as they are."""
    copy = clone(Graph(graph.name, graph.body, graph.info))
    return Graph(graph.name, copy.body, copy.info, graph.functions)


def replace_lists(graph: Graph) -> None:
    """Replace them in place: all other values stay what they are."""
    found = _found(graph)
    for made, item in found.items():
        assert made.owner is not None
        debug.fired("a list of numbers that nobody else sees", made.owner)
        made.type = BufferType(item=item)  # type: ignore[arg-type]
    if found:
        _replace(graph.body, found)


# -- which lists ---------------------------------------------------------------------------------------


def _found(graph: Graph) -> dict[Value, Type]:
    """The lists that can be buffers, and the type of their items."""
    items: dict[Value, set[Type]] = {}
    for op in graph.operations():
        if op.name == "list.new" and isinstance(op.output.type, ContainerType):
            items[op.output] = set()
    if not items:
        return {}
    spoilt: set[Value] = set()
    for op in _with_place(graph.body, spoilt):
        if op.name == "list.new" and op.output in items:
            items[op.output].update(_types_of_new(op))
        for place, value in enumerate(op.inputs):
            if value in items:
                types = _types_of_items(op) if place == 0 else None
                if types is None:
                    spoilt.add(value)
                else:
                    items[value].update(types)
    return {
        value: next(iter(types))
        for value, types in items.items()
        if value not in spoilt and len(types) == 1 and all(map(is_a_word, types))
    }


def _with_place(block: Block, spoilt: set[Value]) -> Iterator[Operation]:
    """All operations. What blocks hand on is spoilt, and what lies in blocks with rules of their own."""
    spoilt.update(block.results)
    for op in block.operations:
        yield op
        for nested in op.blocks:
            for inner in _with_place(nested, spoilt):
                if op.name not in _BLOCKS:
                    spoilt.update(inner.inputs + inner.outputs)
                yield inner


def _types_of_new(op: Operation) -> list[Type]:
    """The types of the items that a list begins with. None of them is no number: that spoils it."""
    structure = _structure(op)
    if type(structure) is not list:
        return [op.output.type]
    return [op.inputs[x.index].type if isinstance(x, Hole) else _type_of_constant(x) for x in structure]


def _type_of_constant(item: object) -> Type:
    return type_of(item) if type(item) is not int or -(2**63) <= item < 2**63 else OBJECT


def _structure(op: Operation) -> object:
    template = op.attributes.get("template")
    if not isinstance(template, Template):
        return [Hole(k) for k in range(len(op.inputs))]
    return template.structure


def _types_of_items(op: Operation) -> list[Type] | None:
    """The types that an operation says that items of its list have; None: a buffer cannot do it."""
    may = _MAY.get(op.name)
    return may(op) if may is not None and op.attributes.get("template") is None else None


def _appends(op: Operation) -> list[Type] | None:
    return [op.inputs[1].type]


def _asks(op: Operation) -> list[Type] | None:
    return []


def _takes(op: Operation) -> list[Type] | None:
    return [op.output.type] if len(op.outputs) == len(op.inputs) == 1 else None


def _sets(op: Operation) -> list[Type] | None:
    return [op.inputs[2].type] if op.inputs[1].type == INT else None


def _gets(op: Operation) -> list[Type] | None:
    return [op.output.type] if len(op.outputs) == 1 and op.inputs[1].type == INT else None


def _sums(op: Operation) -> list[Type] | None:
    return [] if len(op.inputs) == 2 and is_a_word(op.inputs[1].type) and op.outputs else None


def _makes_array(op: Operation) -> list[Type] | None:
    known = all(isinstance(t, ArrayType) and len(t.shape) == 1 for t in op.attributes["types"])
    plain = op.attributes["function"] in ("array", "asarray") and op.attributes.get(
        "arguments", {}
    ).keys() <= {"dtype"}
    return [] if known and plain else None


_MAY: dict[str, Callable[[Operation], list[Type] | None]] = {
    "list.append": _appends,
    "list.len": _asks,
    "list.getitem": _gets,
    "list.setitem": _sets,
    "list.pop": _takes,
    "list.max": _takes,
    "list.min": _takes,
    "list.sum": _sums,
    "list.to_array": _makes_array,
}

# -- their operations ----------------------------------------------------------------------------------

#: what becomes of an operation, the attributes that it keeps, and those that it gets
_BECOMES: dict[str, tuple[str, tuple[str, ...], dict[str, object]]] = {
    "list.append": ("buffer.append", (), {}),
    "list.len": ("buffer.len", (), {}),
    "list.getitem": ("buffer.item", (), {}),
    "list.setitem": ("buffer.set_item", (), {}),
    "list.pop": ("buffer.pop", (), {}),
    "list.max": ("buffer.extreme", (), {"function": max}),
    "list.min": ("buffer.extreme", (), {"function": min}),
    "list.sum": ("buffer.sum", ("reader",), {}),
    "list.to_array": ("buffer.to_array", ("function", "arguments", "types"), {}),
}


def _replace(block: Block, found: dict[Value, Type]) -> None:
    operations: list[Operation] = []
    for op in block.operations:
        for nested in op.blocks:
            _replace(nested, found)
        if op.outputs and op.outputs[0] in found:
            operations += _new_buffer(op, found[op.output])
            continue
        if op.inputs and op.inputs[0] in found:
            op.name, kept, given = _BECOMES[op.name]
            op.attributes = {name: op.attributes[name] for name in kept if name in op.attributes} | given
        operations.append(op)
    block.operations = operations


def _new_buffer(op: Operation, item: Type) -> list[Operation]:
    """An empty buffer, and an append for each item that the list begins with."""
    structure, values = _structure(op), op.inputs
    assert type(structure) is list
    op.name, op.inputs, op.attributes = "buffer.new", (), {"item": item}
    made = [op]
    for part in structure:
        if isinstance(part, Hole):
            value = values[part.index]
        else:
            made.append(Operation("constant", (), (item,), {"value": part}, (), op.location))
            value = made[-1].output
        made.append(Operation("buffer.append", (op.output, value), (), {}, (), op.location))
    return made
