"""NumPy's functions that change shapes, join, split and repeat arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.numpy_calls.arguments import as_dtype, indices_of, new_list, no_operation, split_shape, static
from runtime.numpy_calls.creation import array
from runtime.numpy_calls.table import implements, into_out, row, rows
from runtime.ops.promotion import broadcast_shapes, normalize_axes
from runtime.specs.spec import NUMBERS, Leaf, kinds_of
from runtime.staged.list_arrays import is_list, joined
from runtime.staged.operands import Boxed, apply, operand
from runtime.tracer.builder import Staged, refuse, type_of_staged
from runtime.types import ArrayType, NumberType, ScalarType

rows("transpose expand_dims squeeze swapaxes moveaxis flip ravel roll diagonal diag trace")
rows("tril triu real imag")
rows("rot90", "axes")
row("transpose", function=np.permute_dims)


@implements(np.fliplr)
def fliplr(m: Any) -> Any:
    return array_from(m)[:, ::-1]


@implements(np.flipud)
def flipud(m: Any) -> Any:
    return array_from(m)[::-1, ...]


def _at_least(name: str) -> None:
    @implements(getattr(np, name))
    def at_least(*arys: Any) -> Any:
        results = tuple([apply(name, [a]) for a in arys])
        return results[0] if len(results) == 1 else results


for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    _at_least(_name)


@implements(np.reshape)
def reshape(a: Any, /, shape: Any, order: str = "C") -> Any:
    target, dynamic = split_shape(shape)
    attributes = {} if order == "C" else {"order": order}
    return apply("reshape", [a, *dynamic], shape=target, **attributes)


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: Any) -> Any:
    target, dynamic = split_shape(shape)
    return apply("broadcast_to", [array, *dynamic], shape=target)


@implements(np.broadcast)
def broadcast(*args: Any) -> Any:
    raise refuse("np.broadcast() has no staged form", "use np.broadcast_shapes or np.broadcast_arrays")


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Any) -> Any:
    items: list[Any] = [a if isinstance(type_of_staged(a), ArrayType) else array(a) for a in args]
    shape = broadcast_shapes(*[item.type.shape for item in items])
    if None in shape:
        raise refuse("np.broadcast_arrays() of unknown lengths", "use np.broadcast_to with the shape wanted")
    if all(item.type.shape == shape for item in items):
        return tuple(items)
    return tuple([apply("broadcast_array", [item], shape=shape) for item in items])


def _is_row(a: Any) -> bool:
    """Is it a list of numbers, of which only a run knows how many?"""
    if not is_list(a) or a.type.name in ("dict", "set"):
        return False
    kinds = kinds_of(a.type.element)
    return all(isinstance(k, Leaf) and isinstance(k.type, NumberType | ScalarType) for k in kinds)


@implements(np.shape)
def shape(a: Any) -> Any:
    """That of a number or an array, or of the array of a sequence."""
    if _is_row(a):
        return (a.length(),)
    x = operand(a) if isinstance(a, Staged) else array(a)
    return x.shape if isinstance(x.type, ArrayType) else ()


@implements(np.ndim)
def ndim(a: Any) -> int:
    return len(shape(a))


@implements(np.size)
def size(a: Any, axis: Any = None) -> Any:
    lengths = shape(a)
    axes = normalize_axes(static(axis, "axis"), len(lengths))
    return math.prod(lengths[k] for k in axes)


# -- joining and splitting -----------------------------------------------------------------------------


def arrays_of(items: Any) -> list[Any]:
    """The arrays of a sequence, or the rows of an array. Raises TypeError for a set or a generator."""
    if not hasattr(items, "__getitem__"):
        raise TypeError("no sequence")
    return [item if isinstance(item, (Staged, Boxed)) else array(item) for item in items]


def array_from(item: Any) -> Any:
    """``np.asarray(item)``, where functions do so with their arguments: Python numbers are weak no longer."""
    return item if isinstance(type_of_staged(item), ArrayType | ScalarType) else array(item)


def parts_of(items: Any) -> list[Any]:
    """The same, with Python numbers as they are: they are weak where NumPy finds one dtype for all."""
    if not hasattr(items, "__getitem__"):
        raise TypeError("no sequence")
    return [item if type(item) in NUMBERS else arrays_of([item])[0] for item in items]


def _joining(name: str, parts: Callable[[Any], list[Any]], *functions: Any) -> Callable[..., Any]:
    @implements(*functions)
    def join(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None) -> Any:
        given = {"axis": static(axis, "axis"), **({} if dtype is None else {"dtype": as_dtype(dtype)})}
        if out is not None:
            rows = arrays if isinstance(arrays, Staged) else list(arrays)
            return into_out(functions[0], (rows,), {**given, "out": out}, out)
        return joined(name, arrays, **given) if is_list(arrays) else apply(name, parts(arrays), **given)

    return join


concatenate = _joining("concatenate", parts_of, np.concatenate, np.concat)
_joining("stack", arrays_of, np.stack)


def _stacked(name: str, at_least: str, axis_of: Callable[[list[Any]], int]) -> None:
    @implements(getattr(np, name))
    def stacked(tup: Any) -> Any:
        if is_list(tup):
            return joined(name, tup)
        arrays = [apply(at_least, [a]) for a in arrays_of(tup)]
        return concatenate(arrays, axis_of(arrays))


_stacked("vstack", "atleast_2d", lambda arrays: 0)
_stacked("hstack", "atleast_1d", lambda arrays: 0 if arrays and arrays[0].ndim == 1 else 1)
_stacked("dstack", "atleast_3d", lambda arrays: 2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Any:
    if is_list(tup):
        return joined("column_stack", tup)
    arrays = [a.reshape(-1, 1) if a.ndim < 2 else a for a in map(array_from, arrays_of(tup))]
    return concatenate(arrays, 1)


@implements(np.append)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    arrays = arrays_of([arr, values])
    if axis is None:
        return concatenate([apply("ravel", [a]) for a in arrays], 0)
    return concatenate(arrays, axis)


def _split(exact: bool, fixed_axis: int | None = None) -> Callable[..., Any]:
    def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
        along = static(axis, "axis") if fixed_axis is None else fixed_axis
        points = static(indices_or_sections, "indices_or_sections")
        if fixed_axis is not None and getattr(ary, "ndim", 0) < 2 - fixed_axis:
            raise ValueError("too few dimensions")
        if fixed_axis == 1 and ary.ndim == 1:
            along = 0
        attributes = {} if exact else {"exact": False}
        result = apply("split", [ary], points=points, axis=along, **attributes)
        return new_list(list(result) if isinstance(result, tuple) else [result], "split")

    return split


implements(np.split)(_split(True))
implements(np.array_split)(_split(False))
implements(np.vsplit)(_split(True, 0))
implements(np.hsplit)(_split(True, 1))


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    axis = static(axis, "axis")
    if isinstance(repeats, (int, np.integer)):
        return apply("repeat_static", [a], repeats=int(repeats), axis=axis)
    return apply("repeat", [a, indices_of(repeats)], axis=axis)


@implements(np.tile)
def tile(A: Any, reps: Any) -> Any:
    counts = static(reps, "reps")
    counts = counts if isinstance(counts, tuple) else (counts,)
    if not all(isinstance(n, int) for n in counts):
        raise TypeError("reps")
    return apply("tile", [A], reps=counts)


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    values = [kwargs["constant_values"]] if "constant_values" in kwargs else []
    if len(kwargs) > len(values) or callable(mode) or any(isinstance(v, tuple | list) for v in values):
        raise no_operation("these arguments of np.pad() have no staged form")
    attributes = {} if mode == "constant" else {"mode": mode}
    return apply("pad", [array, *values], pad_width=static(pad_width, "pad_width"), **attributes)
