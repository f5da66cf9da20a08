"""NumPy's functions that call what they are given, and those that read an iterator: the calls are staged.

np.piecewise(x, [x < 0], [lambda v: -v, np.sqrt])
np.apply_along_axis(lambda row: row / row.sum(), 1, m)
np.fromiter((v * v for v in x), float)
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.operators import call, for_stmt
from runtime.control_flow.choices import dispatch
from runtime.guards.paths import Attribute
from runtime.numpy_calls.arguments import as_dtype, has_staged, static
from runtime.numpy_calls.creation import array, zeros
from runtime.numpy_calls.table import implements
from runtime.numpy_calls.whole import asks_tensors, on_arrays
from runtime.ops.promotion import normalize_axis
from runtime.staged.operands import array_of
from runtime.tracer.builder import Staged, current, emit, refuse
from runtime.tracer.spec import Choice
from runtime.types import NumberType, ScalarType


@implements(np.piecewise)
def piecewise(*args: Any, **kwargs: Any) -> Any:
    """NumPy's own code, converted: it is written in Python, and a loop over the functions."""
    if not has_staged((args, kwargs)):
        return NotImplemented
    if asks_tensors(np.piecewise, (args, kwargs)):
        return on_arrays(piecewise, args, kwargs)
    trace: Any = current()
    function: Any = inspect.unwrap(np.piecewise)
    return trace.calls.entering(function, trace.environment.enter(function, None))(*args, **kwargs)


@implements(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    if not has_staged((arr, args, kwargs)):
        return NotImplemented
    if asks_tensors(np.apply_along_axis, (arr, kwargs)):
        return on_arrays(apply_along_axis, (func1d, axis, arr, *args), kwargs)
    arr = array(arr, copy=None)
    axis = normalize_axis(static(axis, "axis"), arr.ndim)
    rows = arr.transpose(*[k for k in range(arr.ndim) if k != axis], axis)
    lengths = list(rows.type.shape[:-1])
    if None in lengths:
        raise refuse(
            "np.apply_along_axis() over an array whose number of rows is known only at run time",
            "write the loop over the rows",
        )
    if 0 in lengths:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    first = array(call(func1d, rows[(0,) * len(lengths)], *args, **kwargs), copy=None)
    found = zeros((*lengths, *first.shape), first.dtype)
    found[(0,) * len(lengths)] = first

    def body(number: Any) -> None:
        place = _place(number, lengths)
        found[place] = array(call(func1d, rows[place], *args, **kwargs), copy=None)

    for_each(1, math.prod(lengths), body)
    new = range(len(lengths), len(lengths) + first.ndim)
    return found.transpose(*range(axis), *new, *range(axis, len(lengths)))


def _place(number: Any, lengths: list[int]) -> tuple[Any, ...]:
    """The place in C order of an item, from its number."""
    place = []
    for length in reversed(lengths):
        place.append(number % length)
        number = number // length
    return tuple(reversed(place))


def for_each(start: int, stop: Any, body: Callable[[Any], None]) -> None:
    """A staged loop: a run counts, however few there are."""
    last = stop if isinstance(stop, Staged) else emit("constant", [], value=stop)
    for_stmt(call(range, start, last), None, body)


@implements(np.fromiter)
def fromiter(iter: Any, dtype: Any) -> Any:
    items = array_of(call(list, iter), as_dtype(dtype))
    if items.ndim != 1:
        raise refuse("np.fromiter() of items that are no numbers", "write np.array(list(items))")
    return items


@implements(np.frombuffer, np.from_dlpack)
def memory_of(x: Any, *args: Any, **kwargs: Any) -> Any:
    if not has_staged((x, args, kwargs)):
        return NotImplemented
    raise refuse("the memory of a staged array is asked for", "use x.view(dtype)")


# -- np.vectorize(f)(x, y): a loop over the items, which f gets as Python numbers, as from NumPy ------------
#
# The dtype of the result is that of ``f`` of the first items, which NumPy calls once more to know it.


if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

KINDS = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def call_vectorized(
    trace: Trace, vectorized: np.vectorize, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The staged result; NotImplemented where nothing is staged. Raises StagingError for other options."""
    if not has_staged((args, kwargs)):
        return NotImplemented
    others = kwargs or vectorized.signature or vectorized.excluded or vectorized.cache
    if others or len(vectorized.otypes or "d") != 1:
        raise refuse(
            "np.vectorize() with a signature, keywords, several results or with a cache is not supported",
            "write the loop over the items",
        )
    function = _function_of(trace, vectorized)
    arrays = [array(a, copy=None) for a in args]
    for a in arrays:
        if a.dtype.itemsize * 8 < 64 and a.dtype.kind == "f" or a.dtype.kind == "u" and a.dtype.itemsize == 8:
            raise refuse(
                f"np.vectorize() over items of dtype {a.dtype} is not supported", "convert them first"
            )
    whole = np.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays
    rows = [a.reshape(-1) for a in whole]
    fill = lambda dtype: _fill(function, rows, whole[0].shape, dtype)
    if vectorized.otypes is not None:
        return fill(np.dtype(vectorized.otypes[0]))
    return dispatch(_first_result(function, rows), lambda one: fill(_dtype_of(one)))


def _fill(function: Any, rows: list[Any], shape: Any, dtype: np.dtype) -> Any:
    """The array of the results of the function for all items."""
    found = zeros(rows[0].shape, dtype)

    def body(k: Any) -> None:
        made = call(function, *[_number(row[k]) for row in rows])
        for one in made.values if isinstance(made, Choice) else (made,):
            _dtype_of(one)
        found[k] = made

    for_each(0, rows[0].size, body)
    return found.reshape(shape)


def _function_of(trace: Trace, vectorized: np.vectorize) -> Any:
    path = trace.outside.path_of(vectorized)
    function = vectorized.pyfunc
    return function if path is None else trace.outside.import_value(function, Attribute(path, "pyfunc"))


def _number(item: Any) -> Any:
    return call(KINDS[item.dtype.kind], item)


def _first_result(function: Any, rows: list[Any]) -> Any:
    """What the function gives for the first items, which NumPy calls as well: it tells the dtypes."""
    size = rows[0].size
    if isinstance(size, Staged):
        raise refuse(
            "np.vectorize() without `otypes` over an array whose length is known only at run time",
            "give `otypes`",
        )
    if size == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    return call(function, *[row[0] for row in rows])


def _dtype_of(part: Any) -> np.dtype:
    type = part.type if isinstance(part, Staged) else None
    if isinstance(type, NumberType | ScalarType):
        return type.dtype
    if isinstance(part, bool | int | float | complex | np.generic):
        return np.asarray(part).dtype
    raise refuse("the function of np.vectorize() returns no number", "return one, and call it once for each")
