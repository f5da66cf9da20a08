"""What there is in an aggregate: the shape of a new object, list or dict.

>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph f(x: float) -> float:
...     items: list[float] = list.new([x, 0.5])
...     table: dict[str, float] = list.new({'a': x})
...     return x
... ''')
>>> [shape_of_new(op).places for op in graph.operations()]
[(0, 1), ('a',)]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from autograph.records import record
from runtime.graph import Operation
from runtime.ops.definition import REGISTRY
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.template import Hole, Make
from runtime.types import INT, STR, ContainerType, NumberType, ScalarType

#: no list is known item by item that is longer
MAX_ITEMS = 1000


@record
class Shape:
    """What there surely is: these places, and so many items behind them. ``is_exact``: and nothing else."""

    places: tuple[Hashable, ...] = ()
    is_exact: bool = False
    more: int = 0

    def least(self) -> int:
        return len(self.places) + self.more

    def joined(self, other: Shape) -> Shape:
        """What there is on both of two paths."""
        if self == other:
            return self
        there = set(other.places)
        both = tuple([place for place in self.places if place in there])
        return Shape(both, False, min(self.least(), other.least()) - len(both))


def held_by_new(op: Operation) -> dict[Hashable, Any] | None:
    """What a new object, list, tuple, deque or dict holds: structures by places."""
    if "literal" not in REGISTRY[op.name].traits:
        return None
    structure = structure_of(op)
    if op.makes_object:
        return structure if isinstance(structure, dict) else None
    if isinstance(structure, Make) and structure.function is deque and not structure.kwargs:
        structure = structure.args[0] if len(structure.args) == 1 else None
    if type(structure) in (list, tuple):
        return dict(enumerate(structure))
    is_known = type(structure) is dict and all(map(is_key, structure))
    return structure if is_known else None


def shape_of_new(op: Operation) -> Shape | None:
    """Of an operation that makes an object or a container, and cannot raise."""
    if op.makes_object:
        return None if held_by_new(op) is None else Shape()
    if not op.makes_container:
        return Shape() if makes_safely(op) else None
    structure = structure_of(op)
    if not is_plain(structure, op):
        return None
    held = held_by_new(op)
    return Shape() if held is None or len(held) > MAX_ITEMS else Shape(tuple(held), True)


def makes_safely(op: Operation) -> bool:
    """Does it make a copy, or a part, of a container, or put two together?"""
    fits = _COPIES.get(op.name)
    if fits is None:
        return False
    source, *others = arguments_of(op)
    kind = op.inputs[source.index].type if isinstance(source, Hole) else None
    if not isinstance(kind, ContainerType) or not all(is_plain(arg, op) for arg in others):
        return False
    return all(fits(arg, op) for arg in others)


def _is_like(arg: Any, op: Operation) -> bool:
    """Is it a container of the kind of the first one, or a list that is written there?"""
    first, *_ = arguments_of(op)
    kind, other = (op.inputs[one.index].type if isinstance(one, Hole) else None for one in (first, arg))
    assert isinstance(kind, ContainerType)
    same = isinstance(other, ContainerType) and other.name == kind.name
    return same or (kind.name == "list" and type(arg) is list)


def _is_slice(arg: Any, op: Operation) -> bool:
    """Is it one of ints, whose step is not zero?"""
    if type(arg) is not slice or any(
        one is not None and not is_int(one, op) for one in (arg.start, arg.stop)
    ):
        return False
    return arg.step is None or (type(arg.step) is int and arg.step != 0)


def is_plain(structure: Any, op: Operation) -> bool:
    """Is making it nothing that may raise, or that anybody sees?"""
    if isinstance(structure, Make):
        items = structure.args[0] if len(structure.args) == 1 and not structure.kwargs else None
        is_container = structure.function in CONTAINERS.values() and isinstance(items, list | dict)
        has_hashes = structure.function is not set or all(has_hash(item, op) for item in items or ())
        return is_container and has_hashes and is_plain(items, op)
    if isinstance(structure, tuple | list):
        return all(is_plain(part, op) for part in structure)
    if type(structure) is dict:
        return all(is_plain(part, op) for part in structure.values())
    return True


def has_hash(item: Any, op: Operation) -> bool:
    """Is it hashed and compared without code of the user's?"""
    if isinstance(item, tuple):
        return type(item) is tuple and all(has_hash(part, op) for part in item)
    if isinstance(item, Hole):
        kind = op.inputs[item.index].type
        return isinstance(kind, NumberType | ScalarType) or kind == STR
    return type(item) in (int, float, bool, complex, str, bytes, type(None))


# -- the arguments of an operation -----------------------------------------------------------------------


def structure_of(op: Operation) -> Any:
    template = op.attributes.get("template")
    return [Hole(k) for k in range(len(op.inputs))] if template is None else template.structure


def arguments_of(op: Operation) -> tuple[Any, ...]:
    """The arguments of an operation: structures with holes for its inputs."""
    structure = structure_of(op)
    return tuple(structure) if isinstance(structure, tuple | list) else (structure,)


def is_int(arg: Any, op: Operation) -> bool:
    return type(arg) is int or (isinstance(arg, Hole) and op.inputs[arg.index].type == INT)


def is_key(key: Any) -> bool:
    """Is it a key that equals no other constant of its kind? (1 equals 1.0 and True.)"""
    return type(key) in (int, str)


def _is_none(arg: Any, op: Operation) -> bool:
    return False


#: they make a container of what is in another one: what the further arguments have to be
_COPIES: dict[str, Callable[[Any, Operation], bool]] = {
    **dict.fromkeys(("list.of", "list.copy", "tuple.of", "dict.values"), _is_none),
    "list.slice": _is_slice,
    "list.concat": _is_like,
    "list.repeat": is_int,
}
