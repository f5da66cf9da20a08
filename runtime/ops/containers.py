"""Python's lists, deques, sets and dicts, of which a run knows the length: real ones, changed in place.

>>> from runtime.ops import REGISTRY
>>> items = REGISTRY["list.new"].kernel(template=Template([]), type=ContainerType("list"))
>>> REGISTRY["list.append"].kernel(items, 2.5)
>>> REGISTRY["list.len"].kernel(items), items
(1, [2.5])

``template`` says how the arguments are built of values, where they are more than values in a row; a
``Reader`` takes a result apart into the values that the graph holds of it (see specs/readers.py). What
changes a container is ordered: items are shared with whoever else holds them.
"""

from __future__ import annotations

import bisect
import heapq
import operator
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from runtime.ops.definition import MAY_RAISE, REGISTRY, Effects, family, none, refused, takes_so_many
from runtime.ops.item_patterns import CONTAINERS, class_of
from runtime.ops.strings import SPLITTERS
from runtime.ops.template import Template
from runtime.types import BOOL, INT, STR, ArrayType, ContainerType, Type

#: from 3.12 on, Python's `sum` of floats keeps what rounding loses
SUM_IS_PLAIN = sys.version_info < (3, 12)

CHANGES = Effects(writes=(0,), ordered=True, may_raise=True)
#: gradients know those of them that only move items (runtime/gradients/containers.py)
#: who writes machine code for them: the first that knows the types
LOWERED = ("list", "dict", "heap", "fold", "sorting", "builtin")
OF_CONTAINERS = refused("an operation on lists, dicts or objects")
op = family("container", vjp=OF_CONTAINERS, lowered=LOWERED)


def arguments(values: tuple[Any, ...], template: Template | None) -> Any:
    return values if template is None else template.fill(values)


# -- making --------------------------------------------------------------------------------------------


def make(*values: Any, template: Template, type: ContainerType) -> Any:
    return template.fill(values)


def made_rule(types: tuple[Type, ...], type: ContainerType, **attributes: Any) -> Type:
    if not isinstance(type, ContainerType):
        raise TypeError(f"a container is made, not {type}")
    return type


_MAKES = Effects(ordered=True, may_raise=True, touches="arrays", makes="object")


def _making(
    name: str, kernel: Callable[..., Any], effects: Effects = _MAKES, traits: Sequence[str] = ()
) -> None:
    op(name, kernel, made_rule, effects, traits=traits)


_making("list.new", make, replace(_MAKES, raises="memory"), ["literal"])


class _Method:
    """A function that calls a method of its first argument."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, target: Any, *args: Any) -> Any:
        return getattr(target, self.name)(*args)


_method = _Method


def _in_turn(keys: list[Any]) -> Callable[[Any], Any]:
    """A key function that has the keys already: it is asked for those of all items, one after the other."""
    return partial(next, iter(keys))


def sorted_by(items: Any, keys: Any, reverse: Any) -> list[Any]:
    """A stable sort of the items by these keys, which may be a buffer (ops/buffers.py)."""
    keys = keys if isinstance(keys, list) else keys.numbers().tolist()
    return sorted(items, key=_in_turn(keys), reverse=reverse)


def order_of(keys: Any, reverse: Any) -> np.ndarray[Any, Any]:
    """The places of the numbers in a buffer in the order that a stable sort gives them.

    >>> from runtime.ops.buffers import full_buffer
    >>> keys = full_buffer(INT, 3, 2)
    >>> keys.append(1)
    >>> order_of(keys, False), order_of(keys, True)
    (array([2, 0, 1]), array([0, 1, 2]))
    """
    return stable_order(keys.numbers(), reverse)


def stable_order(numbers: np.ndarray[Any, Any], reverse: Any) -> np.ndarray[Any, Any]:
    """The same of an array of numbers of one dimension."""
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():  # the order hangs on what is compared
        found = sorted(range(len(numbers)), key=numbers.tolist().__getitem__, reverse=reverse)
        return np.array(found, np.int64)
    if reverse:  # the other order, whatever the size
        numbers = -numbers if numbers.dtype.kind == "f" else ~numbers
    return np.argsort(numbers, kind="stable")


def order_of_first(numbers: np.ndarray[Any, Any], reverse: Any) -> np.ndarray[Any, Any]:
    """The places of tuples that begin with these numbers in their order; none where others decide it.

    >>> order_of_first(np.array([3.0, 1.0, 2.0]), False), order_of_first(np.array([1, 1]), False)
    (array([1, 2, 0]), array([], dtype=int64))
    """
    order = stable_order(numbers, reverse)
    found = numbers[order]
    differ = found[1:] < found[:-1] if reverse else found[1:] > found[:-1]  # nor is one of them a NaN
    return order if differ.all() else np.array([], np.int64)


SET_MAKERS = ("union", "intersection", "difference", "symmetric_difference")

#: operations that give a new container, as functions of containers and other values
MAKERS: dict[str, Callable[..., Any]] = {
    "list.concat": operator.add,
    "list.repeat": operator.mul,
    "list.slice": operator.getitem,
    "list.of": list,
    "list.copy": _method("copy"),
    "list.tolist": lambda array: array.tolist(),
    "list.sorted": lambda items, reverse: sorted(items, reverse=reverse),
    "list.sorted_by": sorted_by,
    "list.joined": lambda *parts: [item for part in parts for item in part],
    "tuple.joined": lambda *parts: tuple([item for part in parts for item in part]),
    "set.joined": lambda *parts: {item for part in parts for item in part},
    "tuple.of": tuple,
    "set.of": set,
    **{f"set.{name}": _method(name) for name in SET_MAKERS},
    "deque.of": deque,
    "dict.of": dict,
    "OrderedDict.of": OrderedDict,
    "Counter.most_common": _method("most_common"),
    "dict.values": lambda table: list(table.values()),
    "dict.items": lambda table: list(table.items()),
    **{f"str.{name}": _method(name) for name in SPLITTERS},
}


def _maker(function: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(*values: Any, type: ContainerType, template: Template | None = None) -> Any:
        return function(*arguments(values, template))

    return kernel


for _name, _function in MAKERS.items():  # a tuple made of another one may be the other one
    _making(_name, _maker(_function), replace(_MAKES, makes="") if _name.startswith("tuple.") else _MAKES)


# -- reading and changing ------------------------------------------------------------------------------


def _read(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that takes its result apart, where a reader is given."""

    def kernel(
        *values: Any, template: Template | None = None, reader: Any = None, replaces: bool = False
    ) -> Any:
        result = function(*arguments(values, template))
        return None if reader is None else reader.read(result)

    return kernel


def _reads_rule(
    types: tuple[Type, ...], template: Template | None = None, reader: Any = None, replaces: bool = False
) -> Any:
    return () if reader is None else reader.types


def _sort_by(target: Any, keys: Any, reverse: Any) -> None:
    target.sort(key=_in_turn(keys), reverse=reverse)


def _sort(target: Any, reverse: Any) -> None:
    target.sort(reverse=reverse)


HEAP: tuple[Any, ...] = (
    heapq.heappush,
    heapq.heappop,
    heapq.heapify,
    heapq.heappushpop,
    heapq.heapreplace,
    bisect.insort_left,
    bisect.insort_right,
)

#: what changes its first input
CHANGERS: dict[str, Callable[..., Any]] = {
    "list.append": _method("append"),
    **{
        f"list.{name}": _method(name)
        for name in "appendleft extend insert pop popleft remove clear reverse rotate".split()
    },
    **{f"set.{name}": _method(name) for name in "add discard remove update clear".split()},
    **{f"set.{name}_update": _method(f"{name}_update") for name in SET_MAKERS[1:]},
    **{f"dict.{name}": _method(name) for name in "update setdefault pop popitem clear".split()},
    "OrderedDict.move_to_end": _method("move_to_end"),
    "OrderedDict.popitem": _method("popitem"),
    "Counter.delitem": operator.delitem,
    "list.sort": _sort,
    "list.sort_by": _sort_by,
    "list.imul": operator.imul,
    "list.setitem": operator.setitem,
    "list.setslice": operator.setitem,
    "list.delitem": operator.delitem,
    **{
        f"list.{function.__name__}": function for function in (*HEAP, bisect.insort_left, bisect.insort_right)
    },
    "dict.setitem": operator.setitem,
    "dict.delitem": operator.delitem,
}

#: what operations on lists read or write, where no code of the user's can run in them
FIELDS: dict[str, tuple[str, ...]] = {
    "list.len": ("length",),
    "list.getitem": ("items", "length"),
}

# What methods of the user's do that Python calls (`__lt__`, `__hash__`) is no store: that is refused.
_KEEPS_LENGTH = replace(CHANGES, fields=("items",))
_CHANGES_LENGTH = replace(CHANGES, fields=("items", "length"))


def _of_store(types: tuple[Type, ...], replaces: bool = False, **attributes: Any) -> Effects:
    """A store to a dict; ``replaces``: under a key that is there."""
    return _KEEPS_LENGTH if replaces else _CHANGES_LENGTH


def _of_lists(effects: Effects) -> Callable[..., Effects]:
    """Of what every list can do."""
    surely = replace(effects, raises="memory")

    def of_types(types: tuple[Type, ...], **attributes: Any) -> Effects:
        return surely if isinstance(types[0], ContainerType) and types[0].name == "list" else effects

    return of_types


_EFFECTS: dict[str, Any] = {
    "dict.setitem": _of_store,
    **dict.fromkeys(("list.append", "list.clear"), _of_lists(_CHANGES_LENGTH)),
    **dict.fromkeys(("list.rotate", "list.sort", "list.sort_by", "list.setitem"), _KEEPS_LENGTH),
    "list.reverse": _of_lists(_KEEPS_LENGTH),
}
for _name, _function in CHANGERS.items():
    op(_name, _read(_function), _reads_rule, _EFFECTS.get(_name, _CHANGES_LENGTH))


READERS: dict[str, Callable[..., Any]] = {
    "list.getitem": operator.getitem,
    "dict.getitem": operator.getitem,
    "dict.get": _method("get"),
    **{f"list.{name}": getattr(operator, name) for name in ("lt", "le", "gt", "ge")},
    "list.sum": sum,
    "list.min": min,
    "list.max": max,
}

for _name, _function in READERS.items():
    op(_name, _read(_function), _reads_rule, replace(MAY_RAISE, fields=FIELDS.get(_name, ())))


QUESTIONS: dict[str, Callable[..., Any]] = {}


def _question(name: str, kernel: Callable[..., Any], answer: Type, effects: Effects = MAY_RAISE) -> None:
    QUESTIONS[name] = kernel

    def ask(*values: Any, template: Template | None = None) -> Any:
        return kernel(*arguments(values, template))

    op(name, ask, lambda types, template=None: answer, effects, vjp=none("a length, a place or a comparison"))


_question("list.len", len, INT, Effects(fields=FIELDS["list.len"]))
_question("list.contains", operator.contains, BOOL)
_question("list.index", _method("index"), INT)
_question("list.count", _method("count"), INT)
_question("list.equal", operator.eq, BOOL)
for _name in ("isdisjoint", "issubset", "issuperset"):
    _question(f"set.{_name}", _method(_name), BOOL)
for _name in ("lt", "le", "gt", "ge"):
    _question(f"set.{_name}", getattr(operator, _name), BOOL)
for _name in ("bisect_left", "bisect_right"):
    _question(f"list.{_name}", getattr(bisect, _name), INT)
_question("list.join", str.join, STR)


# -- unpacking -----------------------------------------------------------------------------------------


@cache
def unpacker(before: int, after: int | None) -> Callable[[Any], tuple[Any, ...]]:
    """Python's own unpacking into so many variables, for its errors."""
    names = [f"v{k}" for k in range(before)]
    if after is not None:
        names += ["*rest", *[f"w{k}" for k in range(after)]]
    scope: dict[str, Any] = {}
    text = f"def unpack(items):\n    [{', '.join(names)}] = items\n"
    text += f"    return ({', '.join(name.lstrip('*') for name in names)},)"
    exec(compile(text, __file__, "exec"), scope)  # no frame of the user's in tracebacks
    return scope["unpack"]


def unpack(items: Any, before: int, after: int | None) -> None:
    """Raises ValueError, in Python's words, where there are too few items or too many."""
    unpacker(before, after)(items)


op("list.unpack", unpack, lambda types, before, after: (), MAY_RAISE, vjp=none("a check"))


# -- kernels for a particular operation ----------------------------------------------------------------

#: the names of the last arguments, of functions that do not take them by their places
_KEYWORDS: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "list.sort": (list.sort, ("reverse",)),
    "list.sorted": (sorted, ("reverse",)),
}


Builtin: TypeAlias = tuple[Callable[..., Any], tuple[str, ...]]


def builtin_of(name: str, types: tuple[Type, ...], given: int) -> Builtin | None:
    """The function of Python's own that does an operation on so many arguments, and the names of the last of
    them; None where it takes more than that.

    >>> builtin_of("list.insert", (ContainerType("list"), INT, INT), 3)
    (<method 'insert' of 'list' objects>, ())
    """
    if name in _KEYWORDS:
        keyed, keywords = _KEYWORDS[name]
        return keyed, keywords if given > 1 else ()
    function: Callable[..., Any] | None = _FUNCTIONS.get(name)
    if isinstance(function, _Method):
        kind = types[0]
        cls = CONTAINERS.get(kind.name) if isinstance(kind, ContainerType) else str if kind == STR else None
        function = getattr(cls, function.name, None)
    return None if function is None or isinstance(function, FunctionType) else (function, ())


_FUNCTIONS: dict[str, Callable[..., Any]] = {**MAKERS, **CHANGERS, **READERS, **QUESTIONS}


def takes(name: str, kind: Type, given: int) -> bool:
    """Does the function of an operation take so many arguments, the first of this type?

    >>> takes("list.append", ContainerType("list"), 2), takes("list.append", ContainerType("list"), 1)
    (True, False)
    """
    function = _FUNCTIONS.get(name)
    if isinstance(function, _Method):
        function = getattr(class_of(kind), function.name, None)
    return function is None or takes_so_many(function, given)


def bind(name: str, types: tuple[Type, ...], attributes: dict[str, Any]) -> Callable[..., Any]:
    """The kernel of a container operation with its attributes filled in, as direct as it can be."""
    template, reader = attributes.get("template"), attributes.get("reader")
    function: Any = CHANGERS.get(name) or READERS.get(name)
    if function is not None and template is not None:
        fill = template.fill
        if reader is None:
            return lambda *values: function(*fill(values))
        read = reader.read
        return lambda *values: read(function(*fill(values)))
    if function is None or template is not None:
        kernel = REGISTRY[name].kernel
        assert kernel is not None
        return partial(kernel, **attributes) if attributes else kernel
    found = builtin_of(name, types, len(types))
    if found is not None and not found[1]:
        function = found[0]
    if reader is None:
        return function
    read = reader.read
    if function is operator.getitem and len(reader.types) == 1:
        kind = reader.types[0]
        return _reads_one(read, None if isinstance(kind, ArrayType) else class_of(kind))
    return lambda *values: read(function(*values))


def _reads_one(read: Callable[[Any], Any], cls: type | None) -> Callable[..., Any]:
    """``items[key]``, which is nearly always of the one class that is expected."""

    def get(items: Any, key: Any) -> Any:
        item = items[key]
        return item if type(item) is cls else read(item)

    return get
