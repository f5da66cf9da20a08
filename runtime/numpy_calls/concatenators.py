"""``np.r_[x, 0, y]``, ``np.c_[x, y]`` and ``np.mgrid[:n, :m]``: what converted code sees in their place.

NumPy's own read the contents of what they are given. Here the items become arrays, and are concatenated; a
grid of ints is one operation, where NumPy's code would take the tracer a hundred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.operators import call
from runtime.guards.questions import IsThis
from runtime.numpy_calls import creation, staged_calls
from runtime.tracer.builder import Staged, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.types import INT, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.guards.paths import Path


def stand_in(value: Any, path: Path, add_guard: Callable[..., None]) -> StagedConcatenator | StagedGrid:
    """What stands for one of the three."""
    name = next(name for name in ("r_", "c_", "mgrid") if value is getattr(np, name))
    add_guard(path, IsThis(value), f"np.{name}", routine=True)
    return StagedGrid(value) if value is np.mgrid else StagedConcatenator(value)


class StagedConcatenator:
    """``original[key]`` in operations. Raises ValueError as NumPy does, and StagingError for directives."""

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        if not items or any(isinstance(item, str | Choice) for item in items):
            raise refuse(
                "a text, or a value that is one of several, is given to np.r_ or np.c_",
                "use np.concatenate, np.stack or np.column_stack",
            )
        made = list(map(_array, items))
        kinds = list(map(_kind, items, made))
        is_weak = [not isinstance(kind, np.dtype) for kind in kinds]
        given = [item if weak else each for item, each, weak in zip(items, made, is_weak, strict=True)]
        dtype = np.result_type(*kinds)
        arrays = [creation.array(each, dtype, copy=None, ndmin=1) for each in given]
        if self.original is np.c_:
            arrays = [each if each.ndim > 1 else each[:, None] for each in arrays]
        return staged_calls.staged_function(np.concatenate, (arrays,), {"axis": self.original.axis})


class StagedGrid:
    """``np.mgrid[key]``: an operation where all goes by ones from int to int, else what NumPy's code does."""

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        if not items or not all(map(_goes_by_ones, items)):
            return call(type(self.original).__getitem__, self.original, key)
        starts = [0 if item.start is None else item.start for item in items]
        if not isinstance(key, tuple):
            return creation.arange(starts[0], key.stop)
        grid = creation.indices([item.stop - start for item, start in zip(items, starts, strict=True)])
        for axis, start in enumerate(starts):
            if isinstance(start, Staged) or start:
                grid[axis] = grid[axis] + start
        return grid


_INT64 = ScalarType(np.dtype("int64"))


def _goes_by_ones(item: Any) -> bool:
    if not isinstance(item, slice) or not (item.step is None or type(item.step) is int and item.step == 1):
        return False
    is_int = lambda n: type(n) in (int, np.int64) or type_of_staged(n) in (INT, _INT64)
    return is_int(item.stop) and (item.start is None or is_int(item.start))


def _array(item: Any) -> Any:
    if not isinstance(item, slice):
        return creation.array(item, copy=None)
    start = 0 if item.start is None else item.start
    step: Any = 1 if item.step is None else item.step
    if isinstance(step, complex | np.complexfloating):
        return creation.linspace(start, item.stop, int(np.abs(step)))
    return creation.arange(start, item.stop, step)


def _kind(item: Any, made: Any) -> Any:
    """What counts for the dtype: Python numbers are weak, as everywhere in NumPy."""
    if isinstance(item, Staged) and isinstance(item.type, NumberType):
        return {"bool": True, "int": 0, "float": 0.0, "complex": 0j}[item.type.kind]
    return item if type(item) in (bool, int, float, complex) else made.dtype
