"""Beside a list, a dict or an object whose items have adjoints, a *companion* of the same
structure, which holds them.

In the place of a number it has a 0-d array, its *cell*; in that of an array its shadow memory; in
that of a list or an object their companions. Every operation that moves items moves the companions
of those items likewise.

>>> from runtime.ops import REGISTRY
>>> from runtime.ops.template import Template
>>> do = REGISTRY["companion.do"].kernel
>>> items = do(operation="list.new", template=Template([]), types=(COMPANION,))
>>> do(items, np.zeros(()), operation="list.append", types=())
>>> items
[array(0.)]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from runtime.ops.containers import OF_CONTAINERS, arguments, array_types, to_array
from runtime.ops.definition import Effects, family
from runtime.ops.methods import METHODS, Method
from runtime.ops.template import Template
from runtime.types import COMPANION, ArrayType, ScalarType, Type

op = family("companion", vjp=OF_CONTAINERS)


def parts_of(companions: Any) -> Any:
    """What items have, where an array is what has the items: views of its shadow memory."""
    if isinstance(companions, np.ndarray):
        return [companions[k, ...] for k in range(len(companions))]
    return companions


def _moving(row: Method) -> Callable[..., Any]:
    """What it does, to companions."""
    if "s" not in row.letters:
        return row.does
    return lambda *args: row.does(*[parts_of(x) if letter == "s" else x for letter, x in row.by_letter(args)])


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _moving(row) for name, row in METHODS.items()},
    "object.getattr": lambda companion, name: companion.get(name),
    "object.setattr": lambda companion, name, value: companion.__setitem__(name, value),
}
#: operations that only move items
STRUCTURAL = frozenset(name for name, row in METHODS.items() if row.moves_items)
_MAKING = ("list.new", "object.make")
STRUCTURAL |= {*_MAKING, "object.getattr", "object.setattr"}


def _do(
    *values: Any,
    operation: str,
    types: tuple[Type, ...],
    template: Template | None = None,
    reader: Any = None,
) -> Any:
    if operation in _MAKING:
        assert template is not None
        return template.fill(values)
    return _given(_FUNCTIONS[operation](*arguments(values, template)), types, reader)


def _given(result: Any, types: tuple[Type, ...], reader: Any) -> Any:
    if reader is None:
        return result if types else None
    parts = [part for part in reader.companions(result) if part is not None]
    return parts[0] if len(types) == 1 else tuple(parts) if types else None


def _bind(**attributes: Any) -> Callable[..., Any]:
    if attributes["operation"] == "list.append" and attributes.get("template") is None:
        return list.append
    return partial(_do, **attributes)


op(
    "companion.do",  # a structural operation, on companions: template and reader are those of the operation
    _do,
    lambda types_, operation, types, template=None, reader=None: types,
    lambda given, operation, **_: Effects(
        writes=(0,) if given and operation not in _MAKING else (), ordered=True
    ),
    lowered=("list",),
    bind=_bind,
)


#: operations that compare items, and move them as that tells
COMPARING = frozenset(
    name for name, row in METHODS.items() if row.family == "list" and row.asks and (row.writes or row.makes)
)


class _Moving:
    """A companion that is compared by its item."""

    __slots__ = ("companion", "item")

    def __init__(self, item: Any, companion: Any) -> None:
        self.item, self.companion = item, companion

    def __lt__(self, other: _Moving) -> Any:
        return self.item < other.item

    def __eq__(self, other: object) -> Any:
        return isinstance(other, _Moving) and self.item == other.item


def _by_items(
    *values: Any,
    operation: str,
    types: tuple[Type, ...],
    template: Template | None = None,
    reader: Any = None,
) -> Any:
    """``values``: those that the operation is about to get, and as many companions.

    >>> from runtime.ops import REGISTRY
    >>> a, b = [3.0, 1.0], ["of 3", "of 1"]
    >>> REGISTRY["companion.by_items"].kernel(a, False, b, False, operation="list.sort", types=())
    >>> a, b
    ([3.0, 1.0], ['of 1', 'of 3'])
    """
    half = len(values) // 2
    items, *rest = arguments(values[:half], template)
    companions, *others = arguments(values[half:], template)
    row = METHODS[operation]
    if row.letter(1) == "q":
        keys, *rest = rest
        items = keys if isinstance(keys, list) else keys.numbers().tolist()
        operation = operation.removesuffix("_by")
    elif rest and row.letter(1) != "i":
        rest[0] = _Moving(rest[0], others[0])
    moving = list(map(_Moving, items, parts_of(companions)))
    result = _FUNCTIONS[operation](moving, *rest)
    if row.makes:
        return [one.companion for one in result]
    companions[:] = [one.companion for one in moving]
    return None if result is None else _given(result.companion, types, reader)


op(
    "companion.by_items",
    _by_items,
    lambda types_, operation, types, template=None, reader=None: types,
    lambda types_, **_: Effects(writes=(len(types_) // 2,), ordered=True),
)


def companion_of(value: Any, known: dict[int, Any] | None = None) -> Any:
    """A companion, all zeros, of what was made elsewhere.

    >>> companion_of([1.5, (2, np.ones(2))])
    [array(0.), (None, array([0., 0.]))]
    """
    known = {} if known is None else known
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, np.ndarray):
        made: Any = np.zeros_like(value)
    elif isinstance(value, float | complex | np.inexact):
        made = np.zeros((), np.asarray(value).dtype)
    elif isinstance(value, tuple):
        made = tuple([companion_of(item, known) for item in value])
    elif isinstance(value, list):
        made = known[id(value)] = []
        made += [companion_of(item, known) for item in value]
    elif isinstance(value, dict) or hasattr(value, "__dict__"):
        made = known[id(value)] = {}
        items = value if isinstance(value, dict) else vars(value)
        made.update({key: companion_of(item, known) for key, item in items.items()})
    else:
        made = None
    known[id(value)] = made
    return made


op("companion.like", companion_of, lambda types: COMPANION, Effects(ordered=True))


#: what reads all items -> the same of their tangents
op(
    "companion.sum",
    lambda companion: sum([cell for cell in companion if isinstance(cell, np.ndarray)], np.float64(0)),
    lambda types: ScalarType(np.dtype("float64")),
    Effects(ordered=True),
)
op("companion.to_array", to_array, array_types, Effects(ordered=True, may_raise=True))


def _extreme(items: Any, companion: Any, operation: str) -> Any:
    found = companion[METHODS[operation].does(range(len(items)), key=items.__getitem__)]
    return found if isinstance(found, np.ndarray) else np.zeros(())


op(
    "companion.extreme",  # the cell of the largest or smallest item
    _extreme,
    lambda types, operation: ArrayType(np.dtype("float64"), ()),
    Effects(ordered=True),
)


def _add(companion: Any, adjoint: Any) -> None:
    for cell in companion:
        if isinstance(cell, np.ndarray):
            cell += adjoint


def _add_rows(companion: Any, adjoint: Any, function: str, arguments: dict[str, Any]) -> None:
    """What came for an array of all items goes to the items."""
    cells = list(companion)
    axis = arguments.get("axis", 0) or 0
    if function in ("array", "asarray", "stack"):
        parts = [np.take(adjoint, k, axis) for k in range(len(cells))]
    elif function == "concatenate":
        ends = np.cumsum([cell.shape[axis] for cell in cells])[:-1]
        parts = np.split(adjoint, ends, axis)
    else:
        parts = [row.reshape(np.shape(cell)) for row, cell in zip(adjoint, cells, strict=True)]
    for cell, part in zip(cells, parts, strict=True):
        if isinstance(cell, np.ndarray):
            cell += part


for _name, _kernel in (("companion.add", _add), ("companion.add_rows", _add_rows)):
    op(_name, _kernel, lambda types, **attributes: (), Effects(writes=(0,), ordered=True))
