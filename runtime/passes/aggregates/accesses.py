"""What an operation does to an object, a list or a dict of which it is known what it holds at this point.

An *aggregate* has *places*: the names of attributes, the indices of items, keys. What an operation does is
found by Python's own: it is done to a list, or a dict, that holds the numbers of the places.

>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph f(x: float) -> float:
...     items: list[float] = list.new([x, 0.5])
...     list.insert(items, 0, x)
...     y: float = list.pop(items)
...     return y
... ''')
>>> new, insert, pop = graph.operations()
>>> from runtime.passes.aggregates.shapes import shape_of_new
>>> shape = shape_of_new(new)
>>> shape, access_of(insert, shape).stores
(Shape(places=(0, 1), is_exact=True, more=0), {0: Stored(structure=Hole(1)), 1: 0, 2: 1})
>>> access_of(pop, shape).read
1

Where an operation may raise, or what it does is not known, there is no `Access`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from typing import Any

from autograph.records import record
from runtime.graph import Operation
from runtime.graph.rewrite import constant_of
from runtime.ops.containers import unpack
from runtime.ops.item_patterns import CONTAINERS
from runtime.ops.methods import GROWS, METHODS, PAIRS
from runtime.ops.template import Hole, Template
from runtime.passes.aggregates.shapes import (
    MAX_ITEMS,
    Shape,
    arguments_of,
    has_hash,
    is_int,
    is_key,
    is_plain,
    makes_safely,
)
from runtime.types import STR, ArrayType, ContainerType


class _NotKnownError(Exception):
    """It hangs on what only a run knows."""


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
#: an item of which nobody knows where it is
SOMEWHERE = object()


@record
class Stored:
    """What an operation puts in: a structure with holes for its inputs."""

    structure: Any


@record
class Access:
    """What an operation does.

    shape:   what there is afterwards
    stores:  where it puts something: a place, and what it had held, or what is stored
    read:    the place of its result; or what was stored
    answer:  its result, where that is a number or a bool
    made:    a new list, tuple or dict of what was in these places
    is_lost: nobody knows any more what the places hold
    """

    shape: Shape
    stores: Mapping[Hashable, Any] = field(default_factory=dict)
    read: Any = NOTHING
    answer: Any = NOTHING
    made: Any = NOTHING
    is_lost: bool = False


# -- what is done --------------------------------------------------------------------------------------

#: operations that only move items, or ask what is known with them
_MOVE = {name: row for name, row in METHODS.items() if row.moves_items and row.gives != PAIRS}
_MOVE |= {
    name: METHODS[name] for name in ("list.len", "list.contains", "set.add", "set.discard", "set.update")
}
_REPEAT = (operator.mul, operator.imul)
#: what is done to a dict as to a list
_TO_ANY = frozenset({"list.len", "list.contains", "list.clear", "list.copy"})
#: done to a dict that is derived from `dict`, whatever else it does then
_TO_SPECIAL_DICTS = frozenset({"dict.setitem", "list.clear"})


def is_access(op: Operation) -> bool:
    """Is it known, by its name, what it does to its first input?"""
    if not op.inputs or op.blocks:
        return False
    if op.is_attribute:
        return attribute_of(op) is not None
    return (op.name in _MOVE or op.is_unpacking) and _is_owner(arguments_of(op))


def _is_owner(arguments: tuple[Any, ...]) -> bool:
    """Is the first input the first argument, and nothing else?"""
    owner, *others = arguments
    return owner == Hole(0) and 0 not in Template(tuple(others)).holes()


def attribute_of(op: Operation) -> str | None:
    """The name in the program of an attribute of the first input that is read or stored."""
    arguments = arguments_of(op)
    name = arguments[1]
    if isinstance(name, Hole):
        maker = constant_of(op.inputs[name.index])
        name = None if maker is None else maker.attributes["value"]
    return name if _is_owner(arguments) and isinstance(name, str) else None


def access_of(op: Operation, shape: Shape) -> Access | None:
    """What an access does to its first input; None where that is not known, or where it may raise."""
    if op.is_attribute_load:
        return Access(shape, read=attribute_of(op))
    if op.is_attribute_store:
        return Access(shape, {attribute_of(op): Stored(arguments_of(op)[2])})
    kind = op.inputs[0].type
    if not isinstance(kind, ContainerType):
        return None
    name = kind.name
    if not _fits(op.name, name) or not all(is_plain(arg, op) for arg in arguments_of(op)):
        return None
    try:
        if name == "set":
            return _of_set(op, shape)
        if kind.is_mapping:
            return _of_dict(op, shape, name)
        return _of_exact(op, shape, name) if shape.is_exact else _of_prefix(op, shape, name)
    except (_NotKnownError, LookupError, TypeError, ValueError):
        return None


def _fits(operation: str, kind: str) -> bool:
    if kind in ("defaultdict", "OrderedDict", "Counter"):
        return operation in _TO_SPECIAL_DICTS
    family = operation.partition(".")[0]
    return family == kind or operation in _TO_ANY or (family in ("list", "tuple") and kind in _SEQUENCES)


_SEQUENCES = ("list", "tuple", "deque")


def _of_exact(op: Operation, shape: Shape, kind: str) -> Access:
    """Of a list of which all is known, where the operation's own arguments are; else as of any list."""
    if not op.is_unpacking and _MOVE[op.name].letter(1) == "x":
        raise _NotKnownError
    try:
        if _TO_PREFIX.get(op.name) is _of_item:
            return _of_item(op, shape, kind)
        return _moved(op, CONTAINERS[kind](shape.places))
    except _NotKnownError:
        return _of_prefix(op, Shape(shape.places), kind)


def _moved(op: Operation, items: Any) -> Access:
    """Do it to a container of places."""
    if op.is_unpacking:
        unpack(items, **op.attributes)
        return Access(shape=_shape_of(items))
    arguments = [_argument(op, k, arg) for k, arg in enumerate(arguments_of(op)) if k]
    row = _MOVE[op.name]
    if row.does in _REPEAT and len(items) * arguments[0] > MAX_ITEMS:
        raise _NotKnownError
    result = row.does(items, *arguments)
    if result is None and op.outputs:  # `table.get(key)` of a key that is not there
        raise _NotKnownError
    shape = _shape_of(items)
    entries = items.items() if isinstance(items, dict) else enumerate(items)
    stores = {at: source for at, source in entries if isinstance(source, Stored) or source != at}
    if row.answers:
        return Access(shape, answer=result)
    if row.makes:
        return Access(shape, made=result)
    return Access(shape, stores, read=result if op.outputs else NOTHING)


def _shape_of(items: Any) -> Shape:
    places = tuple(items) if isinstance(items, dict) else tuple(range(len(items)))
    if len(places) > MAX_ITEMS:
        raise _NotKnownError
    return Shape(places, True)


def _argument(op: Operation, k: int, arg: Any) -> Any:
    """An argument for Python's own: the index that it is known to be, or what is stored."""
    if k == 1 and _is_by_place(op):
        return _known(arg, op)
    if _MOVE[op.name].letter(k) == "s":
        if isinstance(arg, list | tuple):
            return [Stored(part) for part in arg]
        if type(arg) is dict and all(map(is_key, arg)):
            return {key: Stored(part) for key, part in arg.items()}
        raise _NotKnownError
    return Stored(arg)


def _is_by_place(op: Operation) -> bool:
    """Is the second argument an index, a number, a key or an item that is looked for?"""
    return _MOVE[op.name].letter(1) in "ikx"


def _known(arg: Any, op: Operation) -> Any:
    """An index, a key or a slice, where the graph says it."""
    if isinstance(arg, Hole):
        maker = constant_of(op.inputs[arg.index])
        arg = maker.attributes["value"] if maker is not None else None
    if type(arg) is slice:
        bounds = [None if one is None else _known(one, op) for one in (arg.start, arg.stop, arg.step)]
        if all(one is None or type(one) is int for one in bounds) and bounds[2] != 0:
            return slice(*bounds)
    if not is_key(arg):
        raise _NotKnownError
    return arg


# -- what is done to what is known in part ---------------------------------------------------------------


def _of_prefix(op: Operation, shape: Shape, kind: str) -> Access:
    """Of a list that begins with known places; behind them there are other items, or may be."""
    if makes_safely(op):
        return Access(shape, made=SOMEWHERE)
    does = _TO_PREFIX.get(op.name)
    if does is None:
        raise _NotKnownError
    return does(op, shape, kind)


def _of_rotation(op: Operation, shape: Shape, kind: str) -> Access:
    if not all(is_int(arg, op) for arg in arguments_of(op)[1:]):
        raise _NotKnownError
    return Access(shape, is_lost=True)


def _of_insertion(op: Operation, shape: Shape, kind: str) -> Access:
    if _is_known(op, 1):
        if 0 <= _index_of(op) <= len(shape.places):
            return _of_known_place(op, shape, kind)
    elif not is_int(arguments_of(op)[1], op):
        raise _NotKnownError
    return Access(_longer(shape, 1), is_lost=True)


def _of_removal(op: Operation, shape: Shape, kind: str) -> Access:
    index, least = _index_of(op), shape.least()
    if 0 <= index < len(shape.places):
        return _of_known_place(op, shape, kind)
    if not -least <= index < least:
        raise _NotKnownError
    return Access(_shorter(shape), read=SOMEWHERE, is_lost=index != -1)


def _of_known_place(op: Operation, shape: Shape, kind: str) -> Access:
    done = _moved(op, CONTAINERS[kind](shape.places))
    kept = Shape(done.shape.places, False, shape.more)
    return Access(kept, done.stores, done.read, is_lost=done.is_lost)


def _of_item(op: Operation, shape: Shape, kind: str) -> Access:
    """Of one item that is read or stored."""
    index, count = _index_of(op), len(shape.places)
    if index < 0 and shape.is_exact:
        index += count
    is_read = op.is_item_of_list
    if 0 <= index < count:
        return Access(shape, read=index) if is_read else Access(shape, {index: Stored(arguments_of(op)[2])})
    if shape.is_exact or not -shape.least() <= index < shape.least():
        raise _NotKnownError
    return Access(shape, read=SOMEWHERE) if is_read else Access(shape, is_lost=True)


#: what is done to a list of which the beginning is known
_TO_PREFIX: dict[str, Callable[[Operation, Shape, str], Access]] = {
    "list.clear": lambda op, shape, kind: Access(Shape((), True)),
    "list.append": lambda op, shape, kind: Access(_longer(shape, 1)),
    "list.extend": lambda op, shape, kind: Access(_longer(shape, _count_of(op, 1))),
    "list.reverse": lambda op, shape, kind: Access(shape, is_lost=True),
    "list.rotate": _of_rotation,
    "list.getitem": _of_item,
    "list.setitem": _of_item,
    "list.insert": _of_insertion,
    "list.appendleft": _of_known_place,
    "list.pop": _of_removal,
    "list.popleft": _of_removal,
    "list.delitem": _of_removal,
}


def _index_of(op: Operation) -> int:
    """Which item is meant: without an argument the last one, or of `popleft` the first."""
    arguments = arguments_of(op)
    if len(arguments) == 1:
        return -1 if len(_MOVE[op.name].letters) > 1 else 0
    index = _known(arguments[1], op)
    if type(index) is not int:
        raise _NotKnownError
    return index


def _longer(shape: Shape, by: int) -> Shape:
    return Shape(shape.places, False, shape.more + by)


def _shorter(shape: Shape) -> Shape:
    """Without the last item."""
    return Shape(shape.places, False, shape.more - 1) if shape.more else Shape(shape.places[:-1])


def _count_of(op: Operation, k: int) -> int:
    """How many items at least an argument has, which is iterated over without code of the user's."""
    arg = arguments_of(op)[k]
    if isinstance(arg, list | tuple | dict):
        return len(arg)
    kind = op.inputs[arg.index].type if isinstance(arg, Hole) else None
    if isinstance(kind, ContainerType) or kind == STR or (isinstance(kind, ArrayType) and kind.ndim):
        return 0
    raise _NotKnownError


def _is_known(op: Operation, k: int) -> bool:
    arg = arguments_of(op)[k]
    return not isinstance(arg, Hole) or constant_of(op.inputs[arg.index]) is not None


def _of_dict(op: Operation, shape: Shape, kind: str) -> Access:
    arguments, row = arguments_of(op), _MOVE[op.name]
    adds, clears = row.writes == GROWS and not op.outputs, op.name == "list.clear"
    if adds and row.letter(1) == "k" and not _has_known_key(op):
        if not has_hash(arguments[1], op):
            raise _NotKnownError
        return Access(Shape(shape.places), is_lost=True)
    if not (shape.is_exact or adds or clears):
        if makes_safely(op):
            return Access(shape, made=SOMEWHERE)
        if not _is_by_place(op) or _known(arguments[1], op) not in shape.places:
            raise _NotKnownError
    done = _moved(op, {place: place for place in shape.places})
    is_exact = kind == "dict" and (shape.is_exact or clears)
    return Access(Shape(done.shape.places, is_exact), done.stores, done.read, done.answer, done.made)


def _has_known_key(op: Operation) -> bool:
    try:
        return is_key(_known(arguments_of(op)[1], op))
    except _NotKnownError:
        return False


def _of_set(op: Operation, shape: Shape) -> Access:
    arguments = arguments_of(op)[1:]
    if _MOVE[op.name].letter(1) == "s" and isinstance(arguments[0], list):
        arguments = tuple(arguments[0])
    if op.outputs or not all(has_hash(arg, op) for arg in arguments):
        raise _NotKnownError
    return Access(Shape())
