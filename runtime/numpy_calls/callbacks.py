"""NumPy's functions that call what they are given, and those that read an iterator: the calls are staged.

np.piecewise(x, [x < 0], [lambda v: -v, np.sqrt])
np.apply_along_axis(lambda row: row / row.sum(), 1, m)
np.fromiter((v * v for v in x), float)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators import call, for_stmt
from runtime.numpy_calls.arguments import as_dtype, has_staged, static
from runtime.numpy_calls.creation import array, zeros
from runtime.numpy_calls.table import implements
from runtime.numpy_calls.whole import asks_tensors, on_arrays
from runtime.ops.promotion import normalize_axis
from runtime.staged.operands import array_of
from runtime.tracer.builder import Staged, current, emit, refuse


@implements(np.piecewise)
def piecewise(*args: Any, **kwargs: Any) -> Any:
    """NumPy's own code, converted: it is written in Python, and a loop over the functions."""
    if not has_staged((args, kwargs)):
        return NotImplemented
    if asks_tensors(np.piecewise, (args, kwargs)):
        return on_arrays(piecewise, args, kwargs)
    trace: Any = current()
    function: Any = np.piecewise.__wrapped__  # type: ignore[attr-defined]
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
