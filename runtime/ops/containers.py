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

import operator
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from autograph.errors import StagingError
from runtime.ops.conversion import nobody_reads
from runtime.ops.definition import MAY_RAISE, REGISTRY, Effects, family, none, refused, takes_so_many
from runtime.ops.item_patterns import CONTAINERS, class_of
from runtime.ops.methods import ITEMS, METHODS, CallOfMethod, Method
from runtime.ops.template import Template
from runtime.types import INT, STR, ArrayType, ContainerType, Type

#: from 3.12 on, Python's `sum` of floats keeps what rounding loses
SUM_IS_PLAIN = sys.version_info < (3, 12)

CHANGES = Effects(writes=(0,), ordered=True, may_raise=True)
#: gradients know those of them that only move items (runtime/gradients/containers.py)
OF_CONTAINERS = refused("an operation on lists, dicts or objects")
op = family("container", vjp=OF_CONTAINERS)


def arguments(values: tuple[Any, ...], template: Template | None) -> Any:
    return values if template is None else template.fill(values)


# -- operations of the table -----------------------------------------------------------------------------


def made_rule(types: tuple[Type, ...], type: ContainerType, **attributes: Any) -> Type:
    if not isinstance(type, ContainerType):
        raise TypeError(f"a container is made, not {type}")
    return type


def _reads_rule(
    types: tuple[Type, ...],
    template: Template | None = None,
    reader: Any = None,
    replaces: bool = False,
    certain: bool = False,
) -> Any:
    return () if reader is None else reader.types


def _changes_rule(
    types: tuple[Type, ...], template: Template | None = None, replaces: bool = False, certain: bool = False
) -> Any:
    return ()


def _kernel(row: Method) -> Callable[..., Any]:
    """It takes its result apart, where a reader is given."""
    function, gives_result = row.does, row.makes or row.answers

    def run(
        *values: Any,
        template: Template | None = None,
        reader: Any = None,
        replaces: bool = False,
        certain: bool = False,
        type: ContainerType | None = None,
    ) -> Any:
        result = function(*arguments(values, template))
        return result if gives_result else None if reader is None else reader.read(result)

    return run


_MAKES = Effects(ordered=True, may_raise=True, touches="arrays", makes="object")
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


def _effects(row: Method) -> Any:
    if row.makes:  # a tuple made of another one may be the other one
        return replace(_MAKES, makes="") if row.family == "tuple" else _MAKES
    if row.writes:
        effects = _KEEPS_LENGTH if row.writes == ITEMS else _CHANGES_LENGTH
        return _of_store if row.name == "dict.setitem" else effects if row.may_raise else _of_lists(effects)
    return replace(MAY_RAISE, fields=row.reads, may_raise=row.may_raise)


def _define(row: Method) -> None:
    answers = lambda types, template=None: row.gives
    rule: Any = (
        answers if row.answers else made_rule if row.makes else _reads_rule if row.gives else _changes_rule
    )
    vjp = none("a length, a place or a comparison") if row.answers else OF_CONTAINERS
    op(row.name, _kernel(row), rule, _effects(row), vjp=vjp, lowered=row.lowered)


def make(*values: Any, template: Template, type: ContainerType) -> Any:
    return template.fill(values)


op(
    "list.new",
    make,
    made_rule,
    replace(_MAKES, raises="memory"),
    traits=["literal"],
    lowered=("list", "dict"),
)
for _method in METHODS.values():
    _define(_method)


# -- orders ------------------------------------------------------------------------------------------------


def order_of(keys: Any, reverse: Any) -> np.ndarray[Any, Any]:
    """The places of the numbers in a buffer in the order that a stable sort gives them.

    >>> from runtime.ops.buffers import full_buffer
    >>> from runtime.types import INT
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


op("list.unpack", unpack, lambda types, before, after: (), MAY_RAISE, vjp=none("a check"), lowered=("list",))


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

    >>> from runtime.types import INT
    >>> builtin_of("list.insert", (ContainerType("list"), INT, INT), 3)
    (<method 'insert' of 'list' objects>, ())
    """
    if name in _KEYWORDS:
        keyed, keywords = _KEYWORDS[name]
        return keyed, keywords if given > 1 else ()
    function = METHODS[name].does if name in METHODS else None
    if isinstance(function, CallOfMethod):
        kind = types[0]
        cls = CONTAINERS.get(kind.name) if isinstance(kind, ContainerType) else str if kind == STR else None
        function = getattr(cls, function.name, None)
    return None if function is None or isinstance(function, FunctionType) else (function, ())


def takes(name: str, kind: Type, given: int) -> bool:
    """Does the function of an operation take so many arguments, the first of this type?

    >>> takes("list.append", ContainerType("list"), 2), takes("list.append", ContainerType("list"), 1)
    (True, False)
    """
    function: Any = METHODS[name].does if name in METHODS else None
    if isinstance(function, CallOfMethod):
        function = getattr(class_of(kind), function.name, None)
    return function is None or takes_so_many(function, given)


def bind(name: str, types: tuple[Type, ...], attributes: dict[str, Any]) -> Callable[..., Any]:
    """The kernel of a container operation with its attributes filled in, as direct as it can be."""
    template, reader = attributes.get("template"), attributes.get("reader")
    row = METHODS.get(name)
    function: Any = None if row is None or row.makes or row.answers else row.does
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


# -- arrays of lists of which a run knows the length ---------------------------------------------------


def to_array(items: Any, function: str, arguments: dict[str, Any], types: tuple[ArrayType, ...]) -> Any:
    """The array; where it may be of several types, first which of them, and one array for each."""
    result = getattr(np, function)(items, **arguments)
    fits = [known.dtype == result.dtype and known.ndim == result.ndim for known in types]
    place = fits.index(True) if True in fits else None
    if place is None:
        raise StagingError(
            f"np.{function}() of a list without items is {result.dtype}[{','.join(map(str, result.shape))}], "
            f"but was staged as {' or '.join(map(str, types))}",
            hint="test the length of the list first",
        )
    if len(types) == 1:
        return result
    return (place, *[result if k == place else nobody_reads(known) for k, known in enumerate(types)])


def array_types(
    inputs: tuple[Type, ...], function: str, arguments: dict[str, Any], types: tuple[ArrayType, ...]
) -> Type | tuple[Type, ...]:
    return types[0] if len(types) == 1 else (INT, *types)


op("list.to_array", to_array, array_types, MAY_RAISE)
