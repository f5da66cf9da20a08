"""Buffers: a list of numbers, or of arrays, of one type that nobody else sees, as memory that grows.

A list becomes a buffer in `passes/use_buffers.py`. The interpreter keeps the real list. Of numbers, machine
code has a `Buffer`, 8 bytes an item, which it appends to and reads without a call of Python. Of arrays it has
the list, too: nobody writes into them as long as they are items, so that a reference is as good as a copy,
and the graph may take each item that it reads for an array by itself.

>>> from runtime.ops import REGISTRY
>>> buffer = Buffer(FLOAT)
>>> for item in (1.5, 2.5):
...     REGISTRY["buffer.append"].kernel(buffer, item)
>>> REGISTRY["buffer.item"].kernel(buffer, -1), REGISTRY["buffer.len"].kernel(buffer)
(2.5, 2)

The operations come in pairs, each the transpose of the other, so that derivatives of buffers are buffers
(`gradients/buffers.py`): append and pop, item and add_item, sum and add_to_all, to_array and add_array.
A set_item is its own: it takes an item, and leaves zero.

A list of lists of numbers that nobody else sees becomes a list of buffers: `row` reads one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from runtime.ops.containers import SUM_IS_PLAIN, array_types, to_array
from runtime.ops.definition import BY_SWEEP, MAY_RAISE, Effects, Infer, Vjp, none, op, refused
from runtime.ops.methods import METHODS
from runtime.ops.stacks import COUNT, Words
from runtime.types import FLOAT, INT, ArrayType, BufferType, NumberType, ScalarType, Type, is_subtype

#: a list of a loop is made often, and is mostly short
FIRST_CAPACITY = 64


class Buffer(Words):
    """A list of numbers of one type in memory that machine code reads.

    >>> buffer = Buffer(INT)
    >>> buffer.append(3)
    >>> buffer.numbers()
    array([3])
    """

    item_type: NumberType | ScalarType

    def __new__(cls, item: NumberType | ScalarType, capacity: int = FIRST_CAPACITY) -> Buffer:
        """(Machine code makes the same by itself.)"""
        return Words.__new__(buffer_class(item), capacity)

    def append(self, value: Any) -> None:
        self.push((value,))

    def numbers(self) -> np.ndarray:
        """The items as an array, which is a view of the memory."""
        dtype = self.item_type.dtype
        found = self.memory[: int(self[COUNT])]
        return found.view(dtype)[:: found.itemsize // dtype.itemsize]


@cache
def buffer_class(item: NumberType | ScalarType) -> type[Buffer]:
    """The class of the buffers of items of one type."""
    return type("Buffer", (Buffer,), {"item_type": item})


def full_buffer(item: NumberType | ScalarType, value: Any, times: int) -> Buffer:
    """``[value] * times``"""
    made = Buffer(item, max(times, FIRST_CAPACITY))
    made[COUNT] = max(times, 0)
    made.numbers()[:] = value
    return made


Items: TypeAlias = "list[Any] | Buffer"


def _listed(items: Items) -> list[Any]:
    """The items as Python holds them."""
    if isinstance(items, list):
        return items
    numbers = items.numbers()
    return numbers.tolist() if isinstance(items.item_type, NumberType) else list(numbers)


def _append(items: Items, value: Any) -> None:
    items.append(value)


def _pop(items: Items) -> Any:
    if isinstance(items, list):
        return items.pop()
    if not items[COUNT]:
        raise IndexError("pop from empty list")
    return items.pop((items.item_type,))[0]


def _len(items: Items) -> int:
    return len(items) if isinstance(items, list) else int(items[COUNT])


def _item(items: Items, index: int) -> Any:
    if isinstance(items, list):
        return items[index]
    numbers = items.numbers()
    if not -len(numbers) <= index < len(numbers):
        raise IndexError("list index out of range")
    found = numbers[index]
    return found.item() if isinstance(items.item_type, NumberType) else found


def _add_item(items: Items, index: int, value: Any) -> None:
    target = items if isinstance(items, list) else items.numbers()
    target[index] = target[index] + value  # an array may be an item twice


def _set_item(items: Items, index: int, value: Any) -> None:
    if isinstance(items, list):
        items[index] = value
        return
    numbers = items.numbers()
    if not -len(numbers) <= index < len(numbers):
        raise IndexError("list assignment index out of range")
    numbers[index] = value


def _extreme(items: Items, function: str) -> Any:
    if isinstance(items, list) or not items[COUNT]:  # raises for no items
        return _CHOICES[function](_listed(items))
    return _item(items, _place_of_extreme(items, function))


_CHOICES: dict[str, Callable[..., Any]] = {"max": max, "min": min}


def _place_of_extreme(items: Items, function: str) -> int:
    """The place of the largest or smallest item, the first of equal ones; with NaN the order decides."""
    if isinstance(items, Buffer):
        numbers = items.numbers()
        place = int(np.argmax(numbers) if function == "max" else np.argmin(numbers))
        if numbers[place] == numbers[place]:
            return place
    listed = _listed(items)
    return int(_CHOICES[function](range(len(listed)), key=listed.__getitem__))


def _sum(items: Items, start: Any, reader: Any = None) -> Any:
    """Python's ``sum``; ``reader`` says of which type it is, where that hangs on the items."""
    total = None if isinstance(items, list) else _sum_of_numbers(items, start)
    if total is None:
        total = sum(_listed(items), start)
    return total if reader is None else reader.read(total)


def _sum_of_numbers(items: Buffer, start: Any) -> Any:
    """The sum as Python adds, from the left; None where only Python knows."""
    numbers, kind = items.numbers(), items.item_type
    if type(start) not in (int, float, np.float64) or not len(numbers):
        return None
    if kind == INT and type(start) is int:
        largest = max(abs(int(numbers.min())), abs(int(numbers.max())))
        return int(numbers.sum()) + start if largest * len(numbers) < 2**63 else None
    if not (kind == FLOAT and SUM_IS_PLAIN) and kind != ScalarType(np.dtype("float64")):
        return None
    with np.errstate(all="ignore"):
        found = np.add.accumulate(np.concatenate(([float(start)], numbers)))[-1]
    if not np.isfinite(found):  # Python may have a warning to give
        return None
    return found if type(start) is np.float64 or kind != FLOAT else found.item()


def _add_to_all(items: Items, value: Any) -> None:
    if isinstance(items, list):
        items[:] = [item + value for item in items]
    else:
        numbers = items.numbers()
        numbers += value


def _array(items: Items, function: str, arguments: dict[str, Any], types: tuple[ArrayType, ...]) -> Any:
    if isinstance(items, Buffer) and not arguments and items[COUNT]:  # an empty list has a dtype of its own
        return to_array(items.numbers().copy(), "asarray", arguments, types)
    if function == "stack" and not arguments.get("axis") and _are_vectors(_listed(items)):
        function, arguments = "array", {}  # the same, in a quarter of the time
    return to_array(_listed(items), function, arguments, types)


def _are_vectors(items: list[Any]) -> bool:
    """Arrays of rank 1 and one length?"""
    shapes = {item.shape if type(item) is np.ndarray else () for item in items}
    return len(shapes) == 1 and len(shapes.pop()) == 1


def _add_array(items: Items, values: Any, function: str, arguments: dict[str, Any]) -> None:
    """What an array made of all items has goes to the items."""
    if isinstance(items, list):
        parts = _parts(values, items, function, arguments.get("axis", 0))
        if _are_one_zero(items):
            items[:] = parts
        else:
            items[:] = [item + part for item, part in zip(items, parts, strict=True)]
    else:
        numbers = items.numbers()
        numbers += values


def _are_one_zero(items: list[Any]) -> bool:
    """Has nothing come for these adjoints so far? They are one array of zeros then."""
    first = items[0] if items else None
    is_array = isinstance(first, np.ndarray)
    return is_array and all(item is first for item in items) and not np.any(first)


#: which of `stack` and `concatenate` a function is, and along which axis: for vectors, and for other arrays
_JOINED = {
    "vstack": (("stack", 0), ("concatenate", 0)),
    "hstack": (("concatenate", 0), ("concatenate", 1)),
    "column_stack": (("stack", 1), ("concatenate", 1)),
}


def _parts(values: Any, items: list[Any], function: str, axis: int) -> list[Any]:
    """The parts of an array that the items became."""
    if items and function in _JOINED:
        function, axis = _JOINED[function][items[0].ndim > 1]
    parts, end = np.moveaxis(values, axis, 0), 0
    if function != "concatenate":
        return list(parts)
    found = []
    for item in items:
        start, end = end, end + item.shape[axis]
        found.append(np.moveaxis(parts[start:end], 0, axis))
    return found


def _zeros_like(items: Items) -> Items:
    if isinstance(items, list):
        return [np.zeros(np.shape(item), np.asarray(item).dtype)[()] for item in items]
    made = Buffer(ScalarType(items.item_type.dtype))
    for _ in range(_len(items)):
        made.append(0.0)
    return made


# -- type rules ----------------------------------------------------------------------------------------


def _item_type(types: tuple[Type, ...], **attributes: Any) -> Type:
    return _buffer(types).item


def _buffer(types: tuple[Type, ...]) -> BufferType:
    if not isinstance(types[0], BufferType):
        raise TypeError(f"a buffer is expected, not {types[0]}")
    return types[0]


def _store_rule(types: tuple[Type, ...]) -> tuple[Type, ...]:
    if not is_subtype(types[-1], _buffer(types).item):
        raise TypeError(f"an item of {types[0]} is no {types[-1]}")
    return ()


def _at_index(rule: Infer) -> Infer:
    """The same for an operation whose second input is the place of an item."""

    def infer(types: tuple[Type, ...], **attributes: Any) -> Any:
        if types[1] != INT:
            raise TypeError(f"a place in a buffer is an int, not {types[1]}")
        return rule(types, **attributes)

    return infer


def adjoint_of(kind: BufferType) -> BufferType:
    """The type of a buffer that holds an adjoint, or a tangent, for each item."""
    return BufferType(item=kind.item if isinstance(kind.item, ArrayType) else ScalarType(kind.item.dtype))


def _store_effects(types: tuple[Type, ...], may_raise: bool) -> Effects:
    """An array that is stored is read: it counts as copied."""
    return Effects(writes=(0,), reads=isinstance(types[-1], ArrayType), may_raise=may_raise)


_CHANGES = Effects(writes=(0,))
_NEW = Effects(makes="memory")


def _define(
    name: str,
    kernel: Callable[..., Any],
    infer: Callable[..., Any],
    effects: Effects | Callable[..., Effects],
    vjp: Vjp = BY_SWEEP,
    lowered: tuple[str, ...] = (),
) -> None:
    op(f"buffer.{name}", kernel, infer, effects, family="buffer", vjp=vjp, lowered=lowered)


_define_lowered = partial(_define, lowered=("buffer",))


_define_lowered("new", lambda item: [], lambda types, item: BufferType(item=item), _NEW)
_define_lowered(
    "full",
    lambda value, times, item: [value] * times,
    lambda types, item: BufferType(item=item),
    _NEW,
    refused("a list that was made full"),
)
_define("zeros_like", _zeros_like, lambda types: adjoint_of(_buffer(types)), _NEW)
_define_lowered("append", _append, _store_rule, lambda types: _store_effects(types, False))
_define_lowered("pop", _pop, _item_type, Effects(writes=(0,), may_raise=True))
_define_lowered("len", _len, lambda types: INT, Effects(), none("a length"))
_define_lowered("item", _item, _at_index(_item_type), MAY_RAISE)
_define(
    "row",
    lambda rows, index, item: rows[index],
    _at_index(lambda types, item: BufferType(item=item)),
    replace(MAY_RAISE, fields=METHODS["list.getitem"].reads),
    refused("a list of lists that is a list of buffers"),
    lowered=("list",),
)
_define_lowered("set_item", _set_item, _at_index(_store_rule), lambda types: _store_effects(types, True))
_define_lowered("add_item", _add_item, _at_index(lambda types: ()), _CHANGES)
_define(
    "sum",
    _sum,
    lambda types, reader=None: _item_type(types) if reader is None else tuple(reader.types),
    MAY_RAISE,
)
_define("extreme", _extreme, _item_type, MAY_RAISE)
_define("place_of_extreme", _place_of_extreme, lambda types, function: INT, MAY_RAISE, none("a place"))
_define("add_to_all", _add_to_all, lambda types: (), _CHANGES)
_define("to_array", _array, array_types, MAY_RAISE)
_define("add_array", _add_array, lambda types, function, arguments: (), _CHANGES)
