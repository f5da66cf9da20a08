"""Arguments of NumPy's functions: what must be known while tracing, and what may be staged.

>>> static((0, np.int64(1)), "axis")
(0, 1)
>>> split_shape((2, 3))
((2, 3), [])
"""

from __future__ import annotations

import operator
import weakref
from typing import Any

import numpy as np

from autograph.plain_items import plain_items
from runtime.messages import hint_of_dtype
from runtime.ops import indexing
from runtime.staged.operands import Boxed
from runtime.tracer.builder import Staged, current, emit, refuse
from runtime.tracer.spec import Choice
from runtime.types import BOOL, ArrayType, is_supported_dtype


def is_staged(item: Any) -> bool:
    return isinstance(item, (Staged, Choice, Boxed))


def has_staged(item: Any) -> bool:
    """Is there a staged value in it, or in a list, tuple or dict?"""
    if isinstance(item, (list, tuple, dict)):
        return any(map(has_staged, plain_items(item)))
    return is_staged(item)


def static(value: Any, name: str) -> Any:
    """A value known while tracing, NumPy's integers as Python's. Raises StagingError for a staged one."""
    if isinstance(value, Staged):
        raise no_operation(
            f"`{name}` is known only at run time, but the shape or type of the result hangs on it",
            f"give `{name}` as a plain Python value",
            is_of_run=True,
        )
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        return tuple([static(item, name) for item in value])
    return value


#: refusals of an operation, where a call as a whole may do: is it for an argument that only a run knows?
_of_operations: weakref.WeakKeyDictionary[BaseException, bool] = weakref.WeakKeyDictionary()


def no_operation(
    what: str, hint: str = "write what they do with other functions", is_of_run: bool = False
) -> Exception:
    """The refusal (not raised) of what an operation cannot do: the function may be called as a whole."""
    error = refuse(what, hint)
    _of_operations[error] = is_of_run
    return error


def is_of_operation(error: BaseException, is_method: bool) -> bool:
    """Was it raised because no operation can make the call? A method is given its axis while tracing."""
    return not _of_operations.get(error, True) or (error in _of_operations and not is_method)


def as_dtype(dtype: Any, default: Any = None) -> Any:
    """The NumPy dtype, ``default`` for none. Raises StagingError for one that no staged value can have."""
    if dtype is None:
        return default
    if is_staged(dtype) and isinstance(dtype.type, ArrayType):  # which has an attribute `dtype`
        raise TypeError("Cannot construct a dtype from an array")
    found = np.dtype(dtype)
    if not is_supported_dtype(found):
        raise refuse(f"arrays of dtype {found} cannot be staged", hint_of_dtype(found.kind))
    return found


def length(n: Any) -> Any:
    """One length of a shape: an int, or a staged integer."""
    if isinstance(n, Staged):
        if n.type == BOOL:
            raise refuse(
                "a staged bool is given as a length, which NumPy mostly takes for no integer",
                "write int(flag)",
            )
        if not indexing.is_integer(n.type):
            raise TypeError("no integer")
        return emit("py.index", [n]) if isinstance(n.type, ArrayType) else n
    if isinstance(n, bool):
        raise TypeError("no integer")
    return operator.index(n)


def indices_of(item: Any) -> Any:
    """What stands for indices. NumPy makes integers of an empty list, which alone would be one of floats."""
    if isinstance(item, (list, tuple)) and not has_staged(item) and not np.asarray(item).size:
        return emit("full", [0], shape=np.asarray(item).shape, dtype=np.dtype(np.intp))
    return item


def split_shape(shape: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """A shape as an attribute, and the staged lengths in it."""
    if isinstance(shape, Boxed):
        shape = shape._array
    is_row = isinstance(shape, tuple | list | range) or getattr(shape, "ndim", 0) == 1
    parts = list(shape) if is_row else [shape]
    dynamic: list[Any] = []
    result: list[Any] = []
    for part in map(length, parts):
        if isinstance(part, Staged):
            result.append(indexing.Dynamic(len(dynamic)))
            dynamic.append(part)
        else:
            result.append(part)
    return tuple(result), dynamic


def new_list(items: Any, *place: Any) -> Any:
    """A list that a call has made: one of the run, where a trace knows that only a run knows its items.

    Anything else is given back as it is. ``place`` tells the lists of one call apart.
    """
    containers = getattr(current(), "containers", None)  # a trace has them
    return items if containers is None else containers.born(items, (containers.here(), *place))
