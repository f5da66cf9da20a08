"""What single calls of NumPy's compute and write, written with operations that derivatives go through.

``y.sort()``, ``np.put(y, i, v)``, ``np.maximum.at(y, i, v)``, ``np.sum(x, out=y)`` and ``np.hypot.reduce(x)``
are one call of NumPy's in a run. Where a graph asks for derivatives, these programs stand in their place
(`written_out.py`). They run converted, and compute all before they write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.config import include

include(__name__)


def _repeated(values: Any, count: Any) -> Any:
    """So many of the values in a row, from the first one on again where there are fewer."""
    flat = np.ravel(values)
    return flat[np.arange(count) % len(flat)]


def _store_flat(x: Any, places: Any, values: Any) -> None:
    """``x.flat[places] = values``"""
    flat = x.flatten()
    flat[places] = _repeated(values, len(places))
    x[...] = flat.reshape(x.shape)


def put(x: Any, indices: Any, values: Any, mode: str = "raise") -> None:
    places = np.ravel(indices)
    if mode == "wrap":
        places = places % x.size
    elif mode == "clip":
        places = np.clip(places, 0, x.size - 1)
    _store_flat(x, places, values)


def putmask(x: Any, mask: Any, values: Any) -> None:
    chosen = np.reshape(np.not_equal(mask, 0), x.shape)
    np.copyto(x, np.reshape(_repeated(values, x.size), x.shape), where=chosen)


def place(x: Any, mask: Any, values: Any) -> None:
    _store_flat(x, np.flatnonzero(mask), values)


def fill_diagonal(x: Any, value: Any, wrap: bool = False) -> None:
    if x.ndim == 2:
        step = x.shape[1] + 1
        end = x.size if wrap else x.shape[1] * x.shape[1]
    else:
        step, size, end = 1, 1, x.size
        for length in x.shape[:-1]:
            size *= length
            step += size
    _store_flat(x, np.arange(x.size)[:end:step], value)


def sort_inplace(x: Any, axis: Any = -1, stable: Any = None) -> None:
    x[...] = np.sort(x, axis=axis)


def partition(x: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    x[...] = np.partition(x, kth, axis)


def at(ufunc: Any, x: Any, index: Any, *values: Any) -> None:
    places = np.arange(x.size).reshape(x.shape)[index]
    given = [np.ravel(np.broadcast_to(value, np.shape(places))) for value in values]
    places = np.ravel(places)
    flat = x.flatten()
    if values and (ufunc is np.add or ufunc is np.subtract):
        ufunc.at(flat, places, given[0])
    else:
        for k in range(len(places)):
            flat[places[k]] = ufunc(flat[places[k]], *[value[k] for value in given])
    x[...] = flat.reshape(x.shape)


def store(made: Any, outputs: Sequence[Any], where: Any, casting: Any) -> None:
    """What a ufunc made, where it was to put it."""
    for output, result in zip(outputs, made if isinstance(made, tuple) else (made,), strict=True):
        if output is not None:
            np.copyto(output, result, where=where, casting=casting)


def store_whole(made: Any, outputs: Sequence[Any]) -> None:
    """The result of another function, which fits."""
    (output,) = outputs
    if np.shape(made) != np.shape(output):
        raise ValueError("output parameter has the wrong shape")
    np.copyto(output, made)


def ufunc_accumulate(x: Any, ufunc: Any, axis: int = 0) -> Any:
    rows = np.moveaxis(x, axis, 0)
    made = np.zeros(rows.shape, rows.dtype)
    if len(rows):
        made[0] = rows[0]
    for k in range(1, len(rows)):
        made[k] = ufunc(made[k - 1], rows[k])
    return np.moveaxis(made, 0, axis)


def ufunc_reduce(x: Any, ufunc: Any, axis: Any = 0, keepdims: bool = False) -> Any:
    rows = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    total = rows[0] if ufunc.identity is None else ufunc(ufunc.identity, rows[0])
    for k in range(1, len(rows)):
        total = ufunc(total, rows[k])
    if keepdims:
        return np.reshape(total, (1,) * x.ndim) if axis is None else np.expand_dims(total, axis)
    return total
