"""Reading and writing items: ``getitem(x, *dynamic) {index}`` and ``setitem(x, value, *dynamic) {index}``.

``index`` is a tuple of int, slice, None, Ellipsis and ``Dynamic(k)``, the k-th dynamic input: an integer,
an array of integers or a mask. ``Dynamic`` may also stand in a slice.

>>> from runtime.ops import REGISTRY
>>> from runtime.types import INT, parse_type
>>> rule = REGISTRY["getitem"].infer
>>> print(rule((parse_type("f64[3,4]"), INT), index=(Dynamic(0),)))
f64[4]
>>> print(rule((parse_type("f64[3,4]"),), index=(slice(1, None), 2)))
f64[2]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np

from runtime.ops.definition import BY_SWEEP, Effects, family
from runtime.ops.definition import Dynamic as Dynamic
from runtime.ops.expressions import ops
from runtime.ops.promotion import broadcast_shapes, numeric, shape_text
from runtime.types import BOOL, ArrayType, NumberType, NumericType, ObjectType, ScalarType, Shape, Type

op = family("indexing")

Index = tuple[Any, ...]


def fill_index(index: Index, dynamic: Sequence[Any]) -> Any:
    """The index that a run uses. A single item stands alone, so that NumPy's fast paths see it."""
    items = tuple([_fill_item(item, dynamic) for item in index])
    return items[0] if len(items) == 1 else items


def _fill_item(item: Any, dynamic: Sequence[Any]) -> Any:
    if isinstance(item, Dynamic):
        return dynamic[item.index]
    if isinstance(item, slice):
        return slice(*[_fill_item(part, dynamic) for part in (item.start, item.stop, item.step)])
    return item


# -- kernels -------------------------------------------------------------------------------------------


def getitem(x: Any, *dynamic: Any, index: Index) -> Any:
    return x[fill_index(index, dynamic)]


def setitem(x: Any, value: Any, *dynamic: Any, index: Index) -> None:
    x[fill_index(index, dynamic)] = value


def add_items(x: Any, value: Any, *dynamic: Any, index: Index) -> None:
    """``x[index] += value``, but an item that the index names several times gets all that is added to it."""
    places = fill_index(index, dynamic)
    if any(isinstance(part, np.ndarray) for part in (places if isinstance(places, tuple) else (places,))):
        np.add.at(x, places, value)
    else:
        x[places] += value


def specialise_getitem(index: Index) -> Callable[..., Any]:
    """The kernel of ``getitem`` with its index worked out beforehand."""
    if not any(map(is_dynamic, index)):
        fixed = fill_index(index, ())
        return lambda x: x[fixed]
    if index == (Dynamic(0),):
        return lambda x, i: x[i]
    if index == (Dynamic(0), Dynamic(1)):
        return lambda x, i, j: x[i, j]
    return lambda x, *dynamic: x[fill_index(index, dynamic)]


def specialise_setitem(index: Index) -> Callable[..., None]:
    """The kernel of ``setitem`` with its index worked out beforehand."""
    if not any(map(is_dynamic, index)):
        fixed = fill_index(index, ())

        def set_fixed(x: Any, value: Any) -> None:
            x[fixed] = value

        return set_fixed
    if index == (Dynamic(0),):
        return lambda x, value, i: x.__setitem__(i, value)
    if index == (Dynamic(0), Dynamic(1)):
        return lambda x, value, i, j: x.__setitem__((i, j), value)
    return lambda x, value, *dynamic: x.__setitem__(fill_index(index, dynamic), value)


def _parts(index: Index) -> Iterator[Any]:
    """Its items, and the bounds of its slices."""
    for item in index:
        yield from (item.start, item.stop, item.step) if isinstance(item, slice) else (item,)


def is_dynamic(item: Any) -> bool:
    """Does an item of an index take a dynamic input?"""
    if isinstance(item, slice):
        return any(isinstance(part, Dynamic) for part in (item.start, item.stop, item.step))
    return isinstance(item, Dynamic)


# -- type rules ----------------------------------------------------------------------------------------


def is_integer(t: Type) -> bool:
    return isinstance(t, NumberType | ScalarType | ArrayType) and t.ndim == 0 and t.dtype.kind in "iu"


def is_mask(t: Type) -> TypeGuard[NumericType]:
    return not isinstance(t, ObjectType) and t.dtype.kind == "b"


def is_basic(index: Index, dynamic: Sequence[Type]) -> bool:
    """Only integers, slices, None and Ellipsis? Then the result is a view, or a scalar."""
    return all(
        is_integer(dynamic[item.index]) and not isinstance(dynamic[item.index], ArrayType)
        for item in index
        if isinstance(item, Dynamic)
    )


def consumed(item: Any, dynamic: Sequence[Type]) -> int:
    """How many dimensions of the array an item of an index takes up."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, Dynamic) and is_mask(mask := dynamic[item.index]):
        return mask.ndim
    return 1


def check_items(index: Index, dynamic: Sequence[Type]) -> None:
    """Raises IndexError or TypeError, in NumPy's words, for what cannot be an index."""
    if dynamic and {part.index for part in _parts(index) if isinstance(part, Dynamic)} != {
        *range(len(dynamic))
    }:
        raise TypeError("an input is no part of the index")
    for item in index:
        if isinstance(item, Dynamic):
            t = dynamic[item.index]
            if isinstance(t, ObjectType) or t.dtype.kind not in "biu":
                rank = None if isinstance(t, ObjectType) else t.ndim
                raise IndexError(_ARRAY_INDEX if rank else WRONG_INDEX)
        elif isinstance(item, slice):
            for part in (item.start, item.stop, item.step):
                t_part = dynamic[part.index] if isinstance(part, Dynamic) else None
                is_known = part is None or isinstance(part, int | np.integer)
                if not is_known and (t_part is None or not (is_integer(t_part) or t_part == BOOL)):
                    raise TypeError("slice indices must be integers or None or have an __index__ method")
        elif not (item is None or item is Ellipsis or isinstance(item, int)) or isinstance(item, bool):
            raise IndexError(WRONG_INDEX)


WRONG_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays "
    "are valid indices"
)
_ARRAY_INDEX = "arrays used as indices must be of integer (or boolean) type"


def expand_index(index: Index, ndim: int, dynamic: Sequence[Type]) -> list[Any]:
    """The index with Ellipsis written out, one item per dimension (None and masks aside)."""
    check_items(index, dynamic)
    used = sum(consumed(item, dynamic) for item in index)
    ellipses = sum(item is Ellipsis for item in index)
    if ellipses > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    fill = [slice(None)] * (ndim - used)
    if not ellipses:
        return [*index, *fill]
    at = next(k for k, item in enumerate(index) if item is Ellipsis)
    return [*index[:at], *fill, *index[at + 1 :]]


def indexed_shape(shape: Shape, index: Index, dynamic: Sequence[Type]) -> Shape:
    """The shape of ``x[index]``, by NumPy's rules for basic and advanced indexing.

    >>> indexed_shape((5, 6, None), (None, 2, slice(None, None, 2)), ())
    (1, 3, None)
    """
    items = expand_index(index, len(shape), dynamic)
    result: list[int | None] = []
    groups: list[Shape] = []  # shapes of the index arrays, which broadcast together
    advanced = any(_is_array_index(item, dynamic) for item in items)
    place: int | None = None  # where the broadcast shape goes
    split = closed = False
    axis = 0
    for item in items:
        integer = isinstance(item, int) or (isinstance(item, Dynamic) and is_integer(dynamic[item.index]))
        if item is None or isinstance(item, slice):
            closed = closed or place is not None
            if item is None:
                result.append(1)
                continue
            result.append(sliced_length(shape[axis], item, dynamic))
            axis += 1
            continue
        if integer and isinstance(item, int):
            check_bounds(item, shape[axis], axis)
        if advanced:  # integers broadcast with the index arrays
            split = split or closed
            place = len(result) if place is None else place
            groups.append(() if integer else _index_shape(item, dynamic, shape, axis))
        axis += consumed(item, dynamic)
    if not advanced:
        return tuple(result)
    try:
        together = broadcast_shapes(*groups)
    except ValueError:
        listed = " ".join("(" + ",".join(map(str, g)) + ("," if len(g) == 1 else "") + ")" for g in groups)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {listed} "
        ) from None
    at = 0 if split or place is None else place
    return (*result[:at], *together, *result[at:])


def _is_array_index(item: Any, dynamic: Sequence[Type]) -> bool:
    """An index array or a mask; a 0-d array of integers counts, it makes the result a copy."""
    if not isinstance(item, Dynamic):
        return False
    t = dynamic[item.index]
    return is_mask(t) or isinstance(t, ArrayType)


def _index_shape(item: Dynamic, dynamic: Sequence[Type], shape: Shape, axis: int) -> Shape:
    t = dynamic[item.index]
    assert not isinstance(t, ObjectType)
    if not is_mask(t):
        return t.shape
    for k, (n, m) in enumerate(zip(shape[axis:], t.shape, strict=False)):
        if n is not None and m is not None and n != m:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + k}; size of axis is {n} "
                f"but size of corresponding boolean axis is {m}"
            )
    return (None,)  # as many as are true


def check_bounds(i: int, length: int | None, axis: int) -> None:
    if length is not None and not -length <= i < length:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {length}")


def sliced_length(length: int | None, item: slice, dynamic: Sequence[Type]) -> int | None:
    """The length of a slice where it is known.

    >>> sliced_length(10, slice(-3, None), ()), sliced_length(None, slice(None, None, -1), ())
    (3, None)
    """
    if item.step == 0 and isinstance(item.step, int):
        raise ValueError("slice step cannot be zero")
    if is_dynamic(item) or length is None:
        return None
    return len(range(*item.indices(length)))


#: what NumPy says of most indices of a scalar
NO_SCALAR_INDEX = "invalid index to scalar variable."


def _is_truth(t: Type) -> bool:
    return isinstance(t, NumberType | ScalarType) and t.dtype.kind == "b"


def getitem_rule(types: tuple[Type, ...], index: Index) -> Type:
    operand, *dynamic = types
    numeric(types[:1], "indexing")
    assert not isinstance(operand, ObjectType)
    if isinstance(operand, NumberType):
        raise TypeError(f"'{operand.kind}' object is not subscriptable")
    if isinstance(operand, ScalarType) and not all(
        item in (None, Ellipsis) or (isinstance(item, Dynamic) and _is_truth(dynamic[item.index]))
        for item in index
    ):
        raise IndexError(NO_SCALAR_INDEX)
    shape = indexed_shape(operand.shape, index, dynamic)
    if shape:
        return ArrayType(operand.dtype, shape)
    if isinstance(operand, ScalarType) and Ellipsis in index:
        return ArrayType(operand.dtype, ())
    has_ellipsis = any(item is Ellipsis for item in index)
    return ArrayType(operand.dtype, ()) if has_ellipsis else ScalarType(operand.dtype)


def access_may_raise(operand: NumericType, index: Index, dynamic: Sequence[Type]) -> bool:
    """Can an access whose types are right still be out of range at run time?"""
    axis = 0
    for item in expand_index(index, operand.ndim, dynamic):
        if is_dynamic(item):
            return True  # a slice step may be 0; an int, an index array or a mask may not fit
        if isinstance(item, int) and operand.shape[axis] is None:
            return True
        axis += consumed(item, dynamic)
    return False


def getitem_effects(types: tuple[NumericType, ...], index: Index) -> Effects:
    operand, *dynamic = types
    may_raise = access_may_raise(operand, index, dynamic)
    if (
        isinstance(operand, ArrayType)
        and is_basic(index, dynamic)
        and isinstance(getitem_rule(types, index), ArrayType)
    ):
        return Effects(view_of=0, reads=False, may_raise=may_raise)
    return Effects(may_raise=may_raise)


op(
    "getitem",
    getitem,
    getitem_rule,
    # an access is not elementwise: the engines know it by name
    getitem_effects,
    [
        [(3, 4), {"index": (1,)}],
        [(3, 4), {"index": (slice(None, None, 2), None, -1)}],
        [(3, 4), {"index": (Ellipsis, 0)}],
        [(3,), {"index": (2,)}],
    ],
    lambda g, y, x, *dynamic, index: (ops.scatter(g, x, *dynamic, index=index),),
    bind=specialise_getitem,
    traits=["part"],
)


def setitem_rule(types: tuple[Type, ...], index: Index) -> tuple[Type, ...]:
    operand, value, *dynamic = types
    if not isinstance(operand, ArrayType):
        name = f"numpy.{operand.dtype.name}" if isinstance(operand, ScalarType) else str(operand)
        raise TypeError(f"'{name}' object does not support item assignment")
    (value_type,) = numeric((value,), "assignment to an item")
    shape = indexed_shape(operand.shape, index, dynamic)
    if not access_may_raise(operand, index, dynamic):  # NumPy checks the bounds first
        if index and all(isinstance(item, int) for item in index) and shape == () != value_type.shape:
            _check_item(operand.dtype, value_type)
        check_assignable(value_type.shape, shape)
    if value_type.dtype.kind == "c" and operand.dtype.kind != "c" and not isinstance(value_type, ArrayType):
        np.zeros((), operand.dtype)[()] = _complex_dummy(value_type)  # raises TypeError
    return ()


def _check_item(dtype: np.dtype, value: NumericType) -> None:
    """Raises what NumPy raises where an array with several items is stored as one item."""
    known = [n for n in value.shape if n is not None]
    if len(known) == value.ndim and math.prod(known) != 1:
        np.zeros(1, dtype)[0] = np.zeros(known, value.dtype)


def _complex_dummy(t: NumericType) -> Any:
    return 1j if isinstance(t, NumberType) else t.dtype.type(1j)


def check_assignable(value: Shape, target: Shape) -> None:
    """Raises ValueError where a value of shape ``value`` cannot be broadcast into ``target``."""
    extra = len(value) - len(target)
    fits = all(n in (1, None) for n in value[: max(extra, 0)]) and all(
        n in (1, None, m) or m is None for n, m in zip(reversed(value), reversed(target), strict=False)
    )
    if not fits:
        shapes = [shape_text(s) for s in (value, target)]
        raise ValueError(f"could not broadcast input array from shape {shapes[0]} into shape {shapes[1]}")


#: always may raise: a read-only array refuses, and the types do not say whether a parameter is one
_WRITES = Effects(writes=(0,), may_raise=True)

op(
    "setitem",
    setitem,
    setitem_rule,
    _WRITES,
    [[(3, 4), 1, {"index": (1, slice(None, 2))}], [(3, 4), (4,), {"index": (Ellipsis,)}]],
    BY_SWEEP,
    traits=["store"],
    bind=specialise_setitem,
)

op(
    "additem",  # the adjoint of reading items
    add_items,
    setitem_rule,
    _WRITES,
    [[(3, 4), 1, {"index": (1, slice(None, 2))}], [(3, 4), (4,), {"index": (Ellipsis,)}]],
    BY_SWEEP,
)
