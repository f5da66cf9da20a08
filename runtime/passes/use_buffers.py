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

It is a list whose items are numbers of one type, or arrays of one dtype and rank, and that by its one name
is only appended to, read and written by index, shortened at its end, asked for its length, sum, largest and
smallest item (of numbers), made an array, or the keys of `sorted`. It may begin as `[0.0] * n`. Where
anything else is done to it, it stays a list.

A list of such lists of numbers, `[[0] * n for _ in range(m)]`, that is only appended to, read by index and
asked for its length becomes a list of buffers, each of which is read as a row: to whom asks about memory,
rows may be one and the same, and whatever the world outside refers to.

The graph takes an array that is read from a buffer for one by itself, a copy. So a list of arrays stays a
list where somebody could tell: where an array is written after it was put in, or one that was read is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from runtime import debug
from runtime.graph import Block, Graph, Operation, Value, array_contents
from runtime.graph.effects import Memory
from runtime.graph.rewrite import clone
from runtime.ops import stacks
from runtime.ops.template import Hole, Template
from runtime.types import (
    INT,
    OBJECT,
    ArrayType,
    BufferType,
    ContainerType,
    ScalarType,
    Type,
    numeric,
    type_of,
)


def use_buffers(graph: Graph) -> Graph:
    if not _found(graph, True) and not _rows(graph):
        return graph
    changed = _clone_of_one(graph)
    replace_lists(changed, full=True)
    rows = _rows(changed)
    for row in rows:
        assert row.owner is not None
        debug.fired("lists in a list that nobody else sees", row.owner)
    _replace_all(changed, rows, full=True)
    return changed


def _clone_of_one(graph: Graph) -> Graph:
    """A copy of the graph; its functions stay as they are."""
    copy = clone(Graph(graph.name, graph.body, graph.info))
    return Graph(graph.name, copy.body, copy.info, graph.functions)


def replace_lists(graph: Graph, full: bool = False) -> None:
    """Replace them in place: all other values stay what they are. ``full``: there are none of its derivatives
    to come, so that `[0.0] * n` may be one operation."""
    found = _found(graph, full)
    for made in found:
        assert made.owner is not None
        debug.fired("a list that nobody else sees", made.owner)
    _replace_all(graph, found, full)


def _replace_all(graph: Graph, found: dict[Value, Type], full: bool = False) -> None:
    for made, item in found.items():
        made.type = BufferType(item=numeric(item))
    if found:
        _replace(graph.body, found, full)


# -- which lists ---------------------------------------------------------------------------------------


def _found(graph: Graph, full: bool) -> dict[Value, Type]:
    """The lists that can be buffers, and the type of their items; those of keys as well where ``full``."""
    found = _used_as_buffers(graph, full)
    arrays = [place for place, item in enumerate(found.values()) if isinstance(item, ArrayType)]
    while arrays:
        written = _written(graph, arrays, full)
        if not written:
            break
        arrays = [place for place in arrays if place not in written]
    return {
        made: item
        for place, (made, item) in enumerate(found.items())
        if place in arrays or not isinstance(item, ArrayType)
    }


def _written(graph: Graph, places: Collection[int], full: bool) -> set[int]:
    """Those of the candidates whose arrays may be written while they are items. It is tried on a copy: a list
    hides what is done with its items, a buffer does not."""
    trial = _clone_of_one(graph)
    found = list(_used_as_buffers(trial, full).items())
    made = {found[place][0]: place for place in places}
    _replace_all(trial, {value: item for value, item in found if value in made})
    memory = Memory(trial)
    overwriting = array_contents.Overwriting(trial, memory)
    written = set()
    for op in trial.operations():
        place = made.get(op.inputs[0]) if op.inputs else None
        if place is None:
            continue
        put = [x for x in op.inputs[1:] if isinstance(x.type, ArrayType)]
        read = [y for y in op.outputs if isinstance(y.type, ArrayType)]
        if any(overwriting.after(x, op) for x in put) or any(map(memory.is_written, read)):
            written.add(place)
    return written


def _used_as_buffers(graph: Graph, full: bool) -> dict[Value, Type]:
    """The lists that are used as buffers are, and the type of their items."""
    if not any(op.makes_container for op in graph.operations()):
        return {}
    uses = Counter(value for op in graph.operations() for value in op.inputs)
    items: dict[Value, set[Type]] = {
        op.output: set() for op in graph.operations() if _literal(op, uses) is not None
    }
    spoilt: set[Value] = set()
    for op in _with_place(graph.body, spoilt):
        made = _literal(op, uses)
        if made is not None:
            items[op.output].update(_types_of_new(made))
        for place, value in enumerate(op.inputs):
            if value in items:
                types = _types_of_items(op) if place == 0 else [] if full and _are_keys(op, place) else None
                if types is None:
                    spoilt.add(value)
                else:
                    items[value].update(types)
    found = {value: _one_type(types) for value, types in items.items() if value not in spoilt}
    for op in graph.operations():
        if op.is_array_of_list and not _can_make(op, found.get(op.inputs[0])):
            found.pop(op.inputs[0], None)
    return {value: item for value, item in found.items() if item is not None}


def _rows(graph: Graph) -> dict[Value, Type]:
    """The lists in lists of the graph that can be buffers, and the values that are read as one of them."""
    if not any(_is_row_of_graph(op) for op in graph.operations()):
        return {}
    spoilt: set[Value] = set()
    uses: dict[Value, list[tuple[Operation, int]]] = {}
    for op in _with_place(graph.body, spoilt):
        for place, value in enumerate(op.inputs):
            uses.setdefault(value, []).append((op, place))
    counts = Counter({value: len(found) for value, found in uses.items()})
    found: dict[Value, Type] = {}
    for op in graph.operations():
        if op.makes_container and _structure(op) == [] and op.output not in spoilt:
            found |= _rows_of(op.output, uses, counts, spoilt)
    return found


def _is_row_of_graph(op: Operation) -> bool:
    return op.is_append and isinstance(op.inputs[-1].type, ContainerType)


def _rows_of(
    outer: Value,
    uses: Mapping[Value, list[tuple[Operation, int]]],
    counts: Mapping[Value, int],
    spoilt: set[Value],
) -> dict[Value, Type]:
    """The rows of one list; none where one of them cannot be a buffer."""
    rows: list[Value] = []
    types: set[Type] = set()
    for op, place in uses.get(outer, []):
        if place != 0 or op.attributes.get("template") is not None:
            return {}
        if op.is_append:
            row = op.inputs[1]
            made = None if row.owner is None else _literal(row.owner, counts)
            if made is None:
                return {}
            types.update(_types_of_new(made))
            rows.append(row)
        elif op.is_item_of_list and op.inputs[1].type == INT and len(op.outputs) == 1:
            rows.append(op.output)
        elif not op.is_length:
            return {}
    for row in rows:
        for op, place in uses.get(row, []):
            if op.is_append and place == 1 and op.inputs[0] is outer:
                continue
            said = _types_of_items(op) if place == 0 and not op.is_array_of_list else None
            if said is None:
                return {}
            types.update(said)
    item = _one_type(types)
    is_sound = item is not None and stacks.is_a_word(item) and spoilt.isdisjoint(rows)
    return dict.fromkeys(rows, item) if is_sound and item is not None else {}


def _one_type(types: set[Type]) -> Type | None:
    """The type of all items; None where a buffer cannot hold them."""
    if len(types) != 1:
        return None
    (item,) = types
    is_array = isinstance(item, ArrayType) and item.ndim > 0 and item.dtype.kind in "biufc"
    return item if is_array or stacks.is_a_word(item) else None


def _with_place(block: Block, spoilt: set[Value]) -> Iterator[Operation]:
    """All operations. What blocks hand on is spoilt, and what lies in blocks with rules of their own."""
    spoilt.update(block.results)
    for op in block.operations:
        yield op
        for nested in op.blocks:
            for inner in _with_place(nested, spoilt):
                if not op.is_control:
                    spoilt.update(inner.inputs + inner.outputs)
                yield inner


def _literal(op: Operation, uses: Mapping[Value, int]) -> Operation | None:
    """What makes the items that a new list begins with: `list.new`, of `[0.0] * n` as well."""
    if op.makes_container and isinstance(op.output.type, ContainerType):
        return op
    if op.is_repeat and "template" not in op.attributes and _is_int(op.inputs[1].type):
        literal = op.inputs[0].owner
        if literal is not None and literal.makes_container and uses[literal.output] == 1:
            return literal
    return None


def _is_int(type: Type) -> bool:
    return type == INT or (isinstance(type, ScalarType) and type.dtype.kind == "i")


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


def _are_keys(op: Operation, place: int) -> bool:
    """Is a list sorted by what is there?"""
    return op.name == "list.sorted_by" and place == 1 and op.inputs[0] is not op.inputs[1]


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
    return [] if len(op.inputs) == 2 and stacks.is_a_word(op.inputs[1].type) and op.outputs else None


def _can_make(op: Operation, item: Type | None) -> bool:
    """Can a buffer with such items be made that array?"""
    function, arguments = op.attributes["function"], op.attributes.get("arguments", {})
    if isinstance(item, ArrayType):
        known = function in _OF_ARRAYS and arguments.keys() <= _OF_ARRAYS[function]
        return known and arguments.get("axis", 0) is not None and len(op.outputs) == 1
    known = all(isinstance(y.type, ArrayType) and y.type.ndim == 1 for y in op.outputs[-1:])
    return known and function in ("array", "asarray") and arguments.keys() <= {"dtype"}


#: functions that make one array of many, and the arguments that they may have
_OF_ARRAYS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("array", "asarray"), frozenset({"dtype"})),
    **dict.fromkeys(("stack", "concatenate"), frozenset({"axis"})),
    **dict.fromkeys(("vstack", "hstack", "column_stack"), frozenset()),
}

_MAY: dict[str, Callable[[Operation], list[Type] | None]] = {
    "list.append": _appends,
    "list.len": _asks,
    "list.getitem": _gets,
    "list.setitem": _sets,
    "list.pop": _takes,
    "list.max": _takes,
    "list.min": _takes,
    "list.sum": _sums,
    "list.to_array": _asks,
}

# -- their operations ----------------------------------------------------------------------------------

#: what becomes of an operation, the attributes that it keeps, and those that it gets
_BECOMES: dict[str, tuple[str, tuple[str, ...], dict[str, object]]] = {
    "list.append": ("buffer.append", (), {}),
    "list.len": ("buffer.len", (), {}),
    "list.getitem": ("buffer.item", (), {}),
    "list.setitem": ("buffer.set_item", (), {}),
    "list.pop": ("buffer.pop", (), {}),
    "list.max": ("buffer.extreme", (), {"function": "max"}),
    "list.min": ("buffer.extreme", (), {"function": "min"}),
    "list.sum": ("buffer.sum", ("reader",), {}),
    "list.to_array": ("buffer.to_array", ("function", "arguments", "types"), {}),
}


def _replace(block: Block, found: dict[Value, Type], full: bool) -> None:
    operations: list[Operation] = []
    for op in block.operations:
        for nested in op.blocks:
            _replace(nested, found, full)
        if op.outputs and op.outputs[0] in found:
            if op.is_item_of_list:
                operations.append(_read_row(op))
            else:
                operations += _new_buffer(op, found[op.output], full)
            continue
        if op.inputs and op.inputs[0] in found:
            op.name, kept, given = _BECOMES[op.name]
            op.attributes = {name: op.attributes[name] for name in kept if name in op.attributes} | given
        operations.append(op)
    block.operations = operations


def _read_row(op: Operation) -> Operation:
    op.name, op.attributes = "buffer.row", {"item": op.output.expect(BufferType).item}
    return op


def _new_buffer(op: Operation, item: Type, full: bool) -> list[Operation]:
    """An empty buffer, and an append for each item that the list begins with."""
    literal, times = op, None
    if op.is_repeat:
        assert op.inputs[0].owner is not None
        literal, times = op.inputs[0].owner, op.inputs[1]
    structure, values = _structure(literal), literal.inputs
    assert type(structure) is list
    block = Block([Value(INT, "i")])
    if full and times is not None and len(structure) == 1 and not isinstance(item, ArrayType):
        return _full_buffer(op, structure[0], values, times, item)
    op.name, op.inputs, op.attributes = "buffer.new", (), {"item": item}
    for part in structure:
        value = values[part.index] if isinstance(part, Hole) else _constant(block, part, item, op)
        block.append(Operation("buffer.append", (op.output, value), (), {}, (), op.location))
    if times is None:
        return [op, *block.operations]
    around = Block()
    times = _int(around, times, op)
    bounds = _constant(around, 0, INT, op), times, _constant(around, 1, INT, op)
    return [op, *around.operations, Operation("for", bounds, (), {}, (block,), op.location)]


def _full_buffer(
    op: Operation, part: object, values: Sequence[Value], times: Value, item: Type
) -> list[Operation]:
    before = Block()
    value = values[part.index] if isinstance(part, Hole) else _constant(before, part, item, op)
    op.inputs = (value, _int(before, times, op))
    op.name, op.attributes = "buffer.full", {"item": item}
    return [*before.operations, op]


def _int(block: Block, times: Value, like: Operation) -> Value:
    if times.type == INT:
        return times
    return block.append(Operation("py.int", (times,), (INT,), {}, (), like.location)).output


def _constant(block: Block, item: object, type: Type, like: Operation) -> Value:
    return block.append(Operation("constant", (), (type,), {"value": item}, (), like.location)).output
