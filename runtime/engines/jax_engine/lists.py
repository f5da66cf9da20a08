"""Lists and dicts in JAX: arrays of the largest length that they may have, and a count.

A list is a `Cell`, whose `Rows` change as a run goes on: an array for each number that an item has, as the
spec of its items says. How far it may grow is found while tracing: an append is one item more, a loop of so
many rounds so many times what one round appends. A dict has keys that are known while tracing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from runtime.engines.jax_engine.operations import extreme, is_known, known_int, typed, zeros_of
from runtime.graph.operations import Operation
from runtime.graph.versions import NoForm
from runtime.ops.objects import make_object
from runtime.ops.template import tuple_of
from runtime.specs.spec import Const, Leaf, Spec, Tuple, leaf_types, same_constant
from runtime.types import INT, ArrayType, ContainerType, InstanceType, ObjectType, Type, numeric, type_of


class Rows(NamedTuple):
    """The items: of each number in an item an array, of which the first ``count`` count."""

    leaves: tuple[Any, ...]
    count: Any

    @property
    def capacity(self) -> int:
        return int(self.leaves[0].shape[0])

    def grown(self, capacity: int) -> Rows:
        """With room for so many; without what is beyond that."""
        more = max(0, capacity - self.capacity)
        wide = [jnp.pad(x, [(0, more)] + [(0, 0)] * (x.ndim - 1)) for x in self.leaves]
        return Rows(tuple([x[:capacity] for x in wide]), self.count)

    def there(self) -> Any:
        return jnp.arange(self.capacity) < self.count


class Cell:
    """A list or dict, whose items `JaxGraph.names` knows. ``kin``: those that may be this one."""

    def __init__(self, spec: Spec | None, is_dict: bool = False, cls: type | None = None) -> None:
        self.spec, self.is_dict, self.cls = spec, is_dict, cls
        self.kin: set[Cell] = set()
        self.is_stale = False  # another one was changed that may be this one
        self.is_shared = False  # it may hold an array that is seen elsewhere, too
        self.types = [] if spec is None else leaf_types(spec, of_item=True)

    def empty(self) -> Any:
        if self.is_dict:
            return {}
        if not self.types or any(isinstance(t, ObjectType) for t in self.types):
            raise NoForm(f"a list of {self.spec}")
        return Rows(tuple([zeros_of(t)[None][:0] for t in self.types]), 0)

    def like(self) -> Cell:
        return Cell(self.spec, self.is_dict, self.cls)

    def may_be(self, others: Sequence[Cell]) -> None:
        for other in others:
            self.is_shared |= other.is_shared
            if other is not self:
                self.kin.add(other)
                other.kin.add(self)


def is_list(kind: Type) -> bool:
    return isinstance(kind, ContainerType | InstanceType)


class Held(NamedTuple):
    """A value of the graph in a structure."""

    x: Any
    type: Any


jax.tree_util.register_pytree_node(Held, lambda held: ((held.x,), held.type), lambda t, xs: Held(xs[0], t))


def flat(spec: Any, item: Any) -> list[Any] | None:
    """An item taken apart as its spec says; None where it is of another kind."""
    if isinstance(spec, Const):
        return [] if same_constant(number(item), spec.value) else None
    if isinstance(spec, Leaf):
        item = item if isinstance(item, Held) else Held(item, type_of(item))
        fits = item.type == spec.type or (
            isinstance(spec.type, ArrayType)
            and isinstance(item.type, ArrayType)
            and (item.type.dtype, item.type.ndim) == (spec.type.dtype, spec.type.ndim)
        )
        return [typed(item.x, spec.type)] if fits else None
    if isinstance(spec, Tuple):
        kind: Any = type(item)
        if kind is not spec.cls or len(item) != len(spec.items):
            return None
        parts: list[Any] = [flat(one, part) for one, part in zip(spec.items, item, strict=True)]
        return None if any(part is None for part in parts) else [x for part in parts for x in part]
    for tag, one in enumerate(spec.alternatives):
        own = flat(one, item)
        if own is not None:
            padding = [list(map(zeros_of, leaf_types(each, True))) for each in spec.alternatives]
            padding[tag] = own
            return [jnp.asarray(tag), *[x for part in padding for x in part]]
    return None


def built(spec: Spec, leaves: list[Any], of_type: Callable[[Any, Any], Any]) -> Any:
    """An item as Python has it, of its numbers in order."""
    if isinstance(spec, Const):
        return spec.value
    if isinstance(spec, Leaf):
        return of_type(leaves.pop(0), spec.type)
    if isinstance(spec, Tuple):
        parts = tuple([built(item, leaves, of_type) for item in spec.items])
        return parts if spec.cls is tuple else tuple.__new__(spec.cls, parts)
    tag = known_int(of_type(leaves.pop(0), INT), "of which kind an item is")
    return [built(one, leaves, of_type) for one in spec.alternatives][tag]


def listed(cell: Cell, rows: Any, of_type: Callable[[Any, Any], Any]) -> Any:
    """The list or dict that the rows are. Raises NoForm where only a run knows how long it is."""
    spec = cell.spec
    if cell.cls is not None:
        whole = jax.tree.map(
            lambda held: of_type(held.x, held.type), rows, is_leaf=lambda x: isinstance(x, Held)
        )
        return make_object(cell.cls, whole)
    if cell.is_dict:
        return {key: built(spec, list(leaves), of_type) for key, leaves in rows.items()}  # type: ignore[arg-type]
    count = known_int(rows.count, "the length of a list that is a result")
    return [built(spec, [x[k] for x in rows.leaves], of_type) for k in range(count)]  # type: ignore[arg-type]


# -- operations --------------------------------------------------------------------------------------------


class Lists:
    """One operation on lists that is made."""

    def __init__(self, graph: Any, op: Operation) -> None:
        self.graph, self.op, self.fails = graph, op, graph.fails
        template = op.attributes.get("template")
        held: Any = [Held(graph.value(value), value.type) for value in op.inputs]
        self.arguments: Any = held if template is None else template.fill(held)
        #: may an array be put in, or taken out, that is seen elsewhere?
        arrays = [value for value in op.inputs if isinstance(value.type, ArrayType)]
        gives = any(isinstance(value.type, ArrayType) for value in op.outputs)
        self.shares = gives or not all(map(graph.is_own, arrays))

    def run(self) -> None:
        name = self.op.name
        if name in ("list.new", "object.make", "list.copy", "list.of", "dict.of"):
            found = [self.made()]
        else:
            rule = _RULES.get(name)
            first, *others = self.arguments or [None]
            if rule is None or not isinstance(first, Held) or not isinstance(first.x, Cell):
                raise NoForm(f"{name} has no form in JAX")
            found = rule(self, first.x, *others)
        for held in self.arguments if isinstance(self.arguments, list | tuple) else ():
            if isinstance(held, Held) and isinstance(held.x, Cell):
                held.x.is_shared |= self.shares
        reader = self.op.attributes.get("reader") if not self.op.is_attribute_load else None
        spec = self.arguments[0].x.spec if name in _GIVE_ITEMS else None
        if spec is not None and reader is not None and reader.element != spec:
            raise NoForm(f"{name} gives {reader.element}, of {spec}")
        if self.op.outputs:
            self.graph.names.update(zip(self.op.outputs, found, strict=True))

    def rows(self, cell: Cell) -> Any:
        if cell.is_stale:
            raise NoForm("a list that may be one of several is read after one of them was changed")
        return self.graph.names[cell]

    def put(self, cell: Cell, rows: Any) -> None:
        self.graph.names[cell] = rows
        for other in cell.kin:
            other.is_stale = True

    def leaves(self, cell: Cell, item: Any) -> tuple[Any, ...]:
        found = None if cell.spec is None else flat(cell.spec, item)
        if found is None:
            raise NoForm(f"an item of another kind than {cell.spec}")
        return tuple(found)

    def place(self, rows: Rows, index: Any) -> Any:
        """Python's index as a place."""
        k = number(index)
        if not is_known(k) and not isinstance(k, jax.Array):
            raise NoForm(f"{self.op.name} of a {type(k).__name__}")
        self.fails(k >= rows.count if is_known(k) and k >= 0 else (k >= rows.count) | (k < -rows.count))
        return jnp.where(k < 0, k + rows.count, k)

    def numbers(self, cell: Cell) -> Rows:
        """The rows of a list of numbers."""
        rows = self.rows(cell)
        if not isinstance(cell.spec, Leaf) or isinstance(cell.spec.type, ArrayType):
            raise NoForm(f"{self.op.name} of a list of {cell.spec}")
        return rows

    def made(self) -> Cell:
        kind: Any = self.op.output.type
        if isinstance(kind, InstanceType):
            cell = Cell(None, True, self.op.attributes["cls"])
            self.graph.names[cell] = {name: as_held(item) for name, item in self.arguments.items()}
            cell.is_shared = self.shares
            return cell
        if kind.name not in ("list", "dict"):
            raise NoForm(f"a {kind} of a run")
        cell = Cell(kind.element, kind.name == "dict")
        self.graph.names[cell] = cell.empty()
        cell.is_shared = self.shares
        if self.op.makes_container:
            for item in self.arguments.items() if cell.is_dict else self.arguments:
                _set_key(self, cell, *item) if cell.is_dict else _append(self, cell, item)
        elif self.arguments:
            (other,) = self.arguments
            if not isinstance(other, Held) or not isinstance(other.x, Cell) or other.x.spec != cell.spec:
                raise NoForm(f"{self.op.name} of what is no such list")
            self.graph.names[cell] = self.rows(other.x)
            cell.is_shared = other.x.is_shared = any(isinstance(t, ArrayType) for t in cell.types)
        return cell


def as_held(item: Any) -> Any:
    """What an attribute holds, with its numbers as JAX has them."""
    if isinstance(item, tuple) and not isinstance(item, Held):
        return tuple_of(item, map(as_held, item))
    if not isinstance(item, Held):
        kind = type_of(item)
        return item if isinstance(kind, ObjectType) else Held(typed(item, kind), kind)
    return Held(typed(item.x, item.type), item.type)


def _get_attribute(call: Lists, cell: Cell, name: Any) -> Any:
    table, key = call.rows(cell), _key(name)
    found = flat(call.op.attributes["reader"].element, table[key]) if key in table else None
    if found is None:
        raise NoForm(f"of which kind `{key}` is, only a run knows")
    return found


def _set_attribute(call: Lists, cell: Cell, name: Any, item: Any) -> None:
    call.put(cell, {**call.rows(cell), _key(name): as_held(item)})


def number(item: Any) -> Any:
    return item.x if isinstance(item, Held) else item


def _append(call: Lists, cell: Cell, item: Any) -> None:
    rows, new = call.rows(cell), call.leaves(cell, item)
    if not rows.capacity:
        found = tuple([x[None] for x in new])
    elif [x.shape[1:] for x in rows.leaves] != [x.shape for x in new]:
        raise NoForm("a list holds arrays of several shapes")
    else:
        wide = rows.grown(rows.capacity + 1).leaves
        found = tuple([y.at[rows.count].set(x) for x, y in zip(new, wide, strict=True)])
    call.put(cell, Rows(found, rows.count + 1))


def _item(call: Lists, cell: Cell, index: Any) -> list[Any]:
    rows = call.rows(cell)
    if not rows.capacity:
        call.fails(True)
        return [jnp.zeros(x.shape[1:], x.dtype) for x in rows.leaves]
    place = call.place(rows, index)
    return [x[place] for x in rows.leaves]


def _pop(call: Lists, cell: Cell, index: Any = -1) -> list[Any]:
    found, rows = _item(call, cell, index), call.rows(cell)
    if rows.capacity:
        places = jnp.arange(rows.capacity)
        after = jnp.minimum(places + (places >= call.place(rows, index)), rows.capacity - 1)
        call.put(cell, Rows(tuple([x[after] for x in rows.leaves]), rows.count - 1))
    return found


def _set_item(call: Lists, cell: Cell, index: Any, item: Any) -> None:
    rows, new = call.rows(cell), call.leaves(cell, item)
    place = call.place(rows, index)
    if rows.capacity:
        found = [y.at[place].set(x) for x, y in zip(new, rows.leaves, strict=True)]
        call.put(cell, Rows(tuple(found), rows.count))


def _sum(call: Lists, cell: Cell, start: Any = 0) -> list[Any]:
    rows = call.numbers(cell)
    begin = number(start)
    total = jnp.sum(jnp.where(rows.there(), rows.leaves[0], 0)) + begin
    outputs = call.op.outputs
    if len(outputs) == 1:
        return [typed(total, outputs[0].type)]
    first = type_of(start) if not isinstance(start, Held) else start.type
    tags = [k for k, one in enumerate(outputs[1:]) if (one.type == first) == (rows.capacity == 0)]
    kinds = [value.type for value in outputs[1:]]
    if len(kinds) != 2 or first not in kinds:
        raise NoForm(f"{call.op.name} of {cell.spec} from {first}")
    tag = jnp.where(rows.count == 0, kinds.index(first), tags[0])
    return [tag, *[typed(begin if kind == first else total, kind) for kind in kinds]]


def _extreme(call: Lists, cell: Cell, name: str = "") -> list[Any]:
    rows, name = call.numbers(cell), call.op.name.removeprefix("list.")
    call.fails(rows.count == 0)
    if not rows.capacity:
        return [jnp.zeros((), rows.leaves[0].dtype)]
    return [extreme(name, rows.leaves[0], rows.there())]


def _is_item(call: Lists, cell: Cell, item: Any) -> Any:
    """Where a list holds an item that equals this one."""
    rows, spec = call.rows(cell), cell.spec
    parts = spec.items if isinstance(spec, Tuple) else (spec,)
    wanted = item if isinstance(spec, Tuple) and type(item) is tuple else (item,)
    if len(wanted) != len(parts) or not all(
        isinstance(p, Leaf) and numeric(p.type).shape == () for p in parts
    ):
        raise NoForm(f"{call.op.name} of a list of {spec}")
    same = [x == number(y) for x, y in zip(rows.leaves, wanted, strict=True)]
    return jnp.all(jnp.stack([rows.there(), *same]), 0)


def _contains(call: Lists, cell: Cell, item: Any) -> list[Any]:
    if cell.is_dict:
        return [_key(item) in call.rows(cell)]
    return [jnp.any(_is_item(call, cell, item))]


def _index(call: Lists, cell: Cell, item: Any) -> list[Any]:
    found = _is_item(call, cell, item)
    call.fails(~jnp.any(found))
    return [jnp.argmax(found) if len(found) else 0]


def _key(key: Any) -> Any:
    if isinstance(key, Held) and not is_known(key.x) and not isinstance(key.x, str):
        raise NoForm("a dict of which only a run knows the keys", "use an array, and ints as keys")
    return number(key)


def _set_key(call: Lists, cell: Cell, key: Any, item: Any) -> None:
    call.put(cell, {**call.rows(cell), _key(key): call.leaves(cell, item)})


def _get_key(call: Lists, cell: Cell, key: Any) -> list[Any]:
    table, key = call.rows(cell), _key(key)
    if key not in table:
        call.fails(True)
        return list(map(zeros_of, cell.types))
    return list(table[key])


def _len(call: Lists, cell: Cell) -> list[Any]:
    rows = call.rows(cell)
    return [len(rows) if cell.is_dict else rows.count]


def _clear(call: Lists, cell: Cell) -> None:
    call.put(cell, {} if cell.is_dict else call.rows(cell)._replace(count=0))


def _reverse(call: Lists, cell: Cell) -> None:
    rows = call.rows(cell)
    back = (rows.count - 1 - jnp.arange(rows.capacity)) % max(rows.capacity, 1)
    call.put(cell, rows._replace(leaves=tuple([x[back] for x in rows.leaves])))


def _extend(call: Lists, cell: Cell, other: Any) -> None:
    if not isinstance(other, Held) or not isinstance(other.x, Cell) or other.x.spec != cell.spec:
        raise NoForm("a list is extended by what is no such list")
    more = call.rows(other.x)
    cell.is_shared |= any(isinstance(t, ArrayType) for t in cell.types)
    rows = call.rows(cell).grown(call.rows(cell).capacity + more.capacity)
    at = jnp.where(more.there(), rows.count + jnp.arange(more.capacity), rows.capacity)
    found = [y.at[at].set(x, mode="drop") for x, y in zip(more.leaves, rows.leaves, strict=True)]
    call.put(cell, Rows(tuple(found), rows.count + more.count))


def _to_array(call: Lists, cell: Cell) -> list[Any]:
    rows = call.rows(cell)
    count = known_int(rows.count, "the length of a list")
    result, items = call.op.output.type, rows.leaves[0][:count]
    function, arguments = call.op.attributes["function"], call.op.attributes["arguments"]
    if not isinstance(cell.spec, Leaf) or not isinstance(result, ArrayType) or not count:
        raise NoForm(f"an array of {cell.spec}")
    if function in ("asarray", "array"):
        return [typed(items, result)]
    return [typed(getattr(jnp, function)(list(items), **arguments), result)]


_GIVE_ITEMS = frozenset({"list.getitem", "list.pop", "dict.getitem"})
_RULES: dict[str, Callable[..., Any]] = {
    "list.append": _append, "list.getitem": _item, "list.pop": _pop, "list.setitem": _set_item,
    "list.sum": _sum, "list.min": _extreme, "list.max": _extreme, "list.contains": _contains,
    "list.index": _index, "list.count": lambda call, cell, item: [jnp.sum(_is_item(call, cell, item))],
    "list.len": _len, "list.clear": _clear, "list.reverse": _reverse, "list.extend": _extend,
    "list.to_array": _to_array, "dict.setitem": _set_key, "dict.getitem": _get_key, "dict.clear": _clear,
    "object.getattr": _get_attribute, "object.setattr": _set_attribute,
}  # fmt: skip
