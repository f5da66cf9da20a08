"""What an argument is, in place of an array: `rt.TensorSpec`, and arrays of JAX's."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.loading import is_loaded
from runtime import messages, tensor
from runtime.arguments import checked_dtype, checked_shape, wrong_argument
from runtime.types import ArrayType, ScalarType


@dataclass(frozen=True)
class TensorSpec:
    """A description of an array argument: its shape, ``None`` for a length that is not known, and its dtype.

    >>> TensorSpec([None, 3], "float64")
    TensorSpec(shape=(None, 3), dtype=dtype('float64'), name=None)
    """

    shape: tuple[int | None, ...]
    dtype: Any = np.dtype("float64")
    name: str | None = None

    if TYPE_CHECKING:  # a list is a shape, too

        def __init__(self, shape: Sequence[int | None], dtype: Any = ..., name: str | None = ...) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", checked_shape(self.shape))
        object.__setattr__(self, "dtype", checked_dtype(self.dtype))

    @property
    def type(self) -> ArrayType:
        return ArrayType(self.dtype, self.shape)

    def admits(self, value: Any) -> bool:
        """Is ``value`` an array of this dtype and of a shape that this one admits?"""
        if is_loaded(tensor) and isinstance(value, tensor.Tensor):
            value = np.asarray(value.numpy())  # one without axes holds a scalar
        if type(value) is not np.ndarray:  # a NumPy scalar is no array, a subclass may mean something else
            return False
        if value.dtype != self.dtype or value.ndim != len(self.shape):
            return False
        return all(n is None or n == m for n, m in zip(self.shape, value.shape, strict=True))

    def hint_for(self, value: Any, name: str) -> str:
        """What to write in place of an argument that is not admitted."""
        value = value.numpy() if is_loaded(tensor) and isinstance(value, tensor.Tensor) else value
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
            return messages.subclass_hint(value, name)
        if not isinstance(value, np.ndarray):
            return f"pass np.asarray({name}, dtype={self.dtype.name!r})"
        if value.dtype != self.dtype:
            return f"pass {name}.astype({self.dtype.name!r})"
        return "change the shape of the array, or write None for a length that differs from call to call"


@dataclass(frozen=True, eq=False)
class OnDevice(TensorSpec):
    """Says what an array is, for the trace, and holds it, for the run."""

    array: Any = None

    @property
    def type(self) -> ArrayType | ScalarType:  # type: ignore[override]
        return super().type if self.shape else ScalarType(self.dtype)


def on_device(value: Any) -> Any:
    """An argument with an `OnDevice` for each array of JAX's, in lists, tuples and dicts too.

    Raises ArgumentError for an array that was given away: donated to another function, or deleted.
    """
    jax = sys.modules.get("jax")
    return value if jax is None else _described(value, jax)


def _described(value: Any, jax: Any) -> Any:
    kind = type(value)
    if isinstance(value, jax.Array):
        if not isinstance(value, jax.core.Tracer) and value.is_deleted():
            raise wrong_argument(
                f"an array of shape {value.shape} was deleted: it was donated to another function",
                "pass a copy there, or do not donate it",
            )
        return OnDevice(value.shape, value.dtype, None, value)
    if kind in (list, tuple):
        found = [_described(item, jax) for item in value]
        return kind(found) if any(a is not b for a, b in zip(found, value, strict=True)) else value
    if kind is dict:
        items = {key: _described(item, jax) for key, item in value.items()}
        return items if any(items[key] is not value[key] for key in value) else value
    if isinstance(value, tuple) and hasattr(kind, "_make"):
        return kind._make([_described(item, jax) for item in value])
    return value
