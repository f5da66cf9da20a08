"""``np.r_[x, 0, y]`` and ``np.c_[x, y]``: what converted code sees in place of the two.

NumPy's own read the contents of what they are given. Here the items become arrays, and are concatenated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.guards.paths import is_identical
from runtime.numpy_calls import creation, staged_calls
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice
from runtime.types import NumberType

if TYPE_CHECKING:
    from runtime.guards.paths import Path


def concatenator(value: Any, path: Path, add_guard: Callable[..., None]) -> StagedConcatenator:
    """What stands for ``np.r_`` or ``np.c_``."""
    add_guard(path, is_identical(value), "np.r_" if value is np.r_ else "np.c_", routine=True)
    return StagedConcatenator(value)


class StagedConcatenator:
    """``original[key]`` in operations. Raises ValueError as NumPy does, and StagingError for directives."""

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getitem__(self, key: Any) -> Any:
        axis, ndmin, trans1d = self.original.axis, self.original.ndmin, self.original.trans1d
        arrays, kinds = [], []
        for item in key if isinstance(key, tuple) else (key,):
            if isinstance(item, str):
                raise refuse(
                    f"a text, {item!r}, tells np.r_ how to join",
                    "use np.concatenate, np.stack or np.column_stack",
                )
            if isinstance(item, Choice):
                raise refuse("np.r_ is given one value or another", "call np.concatenate on either path")
            if isinstance(item, slice):
                made = _range(item, ndmin, trans1d)
            else:
                made = _at_least(item, ndmin, trans1d)
            kinds.append(_kind(item, made))
            arrays.append(made if isinstance(kinds[-1], np.dtype) else item)
        if not arrays:
            return np.concatenate([])  # which raises
        dtype = np.result_type(*kinds)
        arrays = [creation.array(each, dtype, copy=None, ndmin=ndmin) for each in arrays]
        return _call(np.concatenate, tuple(arrays), axis=axis)


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    return staged_calls.staged_function(function, args, kwargs)


def _range(item: slice, ndmin: int, trans1d: int) -> Any:
    start = 0 if item.start is None else item.start
    step: Any = 1 if item.step is None else item.step
    if isinstance(step, complex | np.complexfloating):
        made = creation.linspace(start, item.stop, int(np.abs(step)))
    else:
        made = creation.arange(start, item.stop, step)
    if ndmin > 1:
        made = creation.array(made, copy=None, ndmin=ndmin)
        if trans1d != -1:
            made = made.swapaxes(-1, trans1d)
    return made


def _at_least(item: Any, ndmin: int, trans1d: int) -> Any:
    """The item as an array of ``ndmin`` dimensions or more, the new ones where ``trans1d`` has them."""
    made = creation.array(item, copy=None)
    missing = ndmin - made.ndim
    if _is_scalar(item) or missing <= 0:
        return made
    made = creation.array(made, copy=None, ndmin=ndmin)
    if trans1d == -1:
        return made
    first = trans1d + missing + 1 if trans1d < 0 else trans1d
    axes = list(range(ndmin))
    return made.transpose(axes[:first] + axes[missing:] + axes[first:missing])


def _is_scalar(item: Any) -> bool:
    if isinstance(item, Staged):
        return not getattr(item.type, "shape", ())
    return isinstance(item, bool | int | float | complex | np.generic)


def _kind(item: Any, made: Any) -> Any:
    """What counts for the dtype: Python numbers are weak, as everywhere in NumPy."""
    if isinstance(item, Staged) and isinstance(item.type, NumberType):
        return {"bool": True, "int": 0, "float": 0.0, "complex": 0j}[item.type.kind]
    return item if type(item) in (bool, int, float, complex) else made.dtype
