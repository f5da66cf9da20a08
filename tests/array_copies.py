"""Copies of arrays that share memory as the arrays do, and are read-only where they are.

`copy.deepcopy` gives each view memory of its own, and makes every array writable.

>>> import copy
>>> base = np.arange(4.0)
>>> names = {"base": base, "held": [base[1:]]}
>>> copied = copy.deepcopy(names, array_copies(names))
>>> copied["held"][0][0] = 7.0
>>> copied["base"], base
(array([0., 7., 2., 3.]), array([0., 1., 2., 3.]))
"""

from __future__ import annotations

import copy
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_NO_DATA = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, str, bytes, int, float)


def array_copies(values: Any) -> dict[int, Any]:
    """The arrays in a value by their ids, as `deepcopy` takes copies that were made before."""
    memo: dict[int, Any] = {}
    found = list(arrays_in(values, set()))
    for array in found:
        if id(array) not in memo:
            memo[id(array)] = _copied(array, memo)
    for array in found:  # at last, for views of what is read-only may be writable
        memo[id(array)].flags.writeable = array.flags.writeable
    return memo


def arrays_in(value: Any, seen: set[int]) -> Iterator[Array]:
    """All arrays in containers, and in attributes of objects."""
    if id(value) in seen or isinstance(value, _NO_DATA):
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for item in list(value.values()):
            yield from arrays_in(item, seen)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item, seen)
    elif isinstance(value, types.MethodType):
        yield from arrays_in(value.__self__, seen)
    else:
        yield from arrays_in(getattr(value, "__dict__", None), seen)


def _copied(array: Array, memo: dict[int, Any]) -> Array:
    root = _root(array)
    if not _has_plain_memory(root) or type(array) is not np.ndarray:
        return copy.deepcopy(array)
    if id(root) not in memo:
        memo[id(root)] = root.copy(order="K")
    if array is root:
        return memo[id(root)]  # type: ignore[no-any-return]
    memory = memo[id(root)] if root.flags.c_contiguous else memo[id(root)].T
    offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, buffer=memory, offset=offset, strides=array.strides)


def _root(array: Array) -> Array:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _has_plain_memory(array: Array) -> bool:
    contiguous = array.flags.c_contiguous or array.flags.f_contiguous
    return type(array) is np.ndarray and contiguous and not array.dtype.hasobject
