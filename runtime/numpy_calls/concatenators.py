"""``np.r_[x, 0, y]`` and ``np.c_[x, y]``: what converted code sees in place of the two.

NumPy's own read the contents of what they are given. Here the items become arrays, and are concatenated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.guards.questions import IsThis
from runtime.numpy_calls import creation, staged_calls
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice
from runtime.types import NumberType

if TYPE_CHECKING:
    from runtime.guards.paths import Path


def concatenator(value: Any, path: Path, add_guard: Callable[..., None]) -> StagedConcatenator:
    """What stands for ``np.r_`` or ``np.c_``."""
    add_guard(path, IsThis(value), "np.r_" if value is np.r_ else "np.c_", routine=True)
    return StagedConcatenator(value)


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
