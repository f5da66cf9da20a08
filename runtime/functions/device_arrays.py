"""Arrays of JAX's as arguments: a call with engine="jax" goes on with them as they are, without a copy."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from runtime.arguments import wrong_argument
from runtime.functions.tensor_specs import TensorSpec
from runtime.types import ArrayType, ScalarType


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
