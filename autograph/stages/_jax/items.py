"""`x[i] = v`, `x[i] += v` on JAX arrays, which are immutable: the variable gets a new array.

>>> import jax.numpy as jnp
>>> set_item(jnp.zeros(3), 1, 5)
Array([0., 5., 0.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import aliases, paths, writes
from autograph.stages._jax.choices import Choice, known
from autograph.stages._jax.tracing import is_staged


def set_item(target: Any, key: Any, value: Any) -> Any:
    """What `target` is after `target[key] = value`, or NotImplemented."""
    target = known(target)
    if isinstance(target, jax.Array):
        return writes.replace(target, target.at[key].set(value))
    _check(target, key, value)
    return NotImplemented


def aug_item(target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
    """What `target` is after `target[key] op= value`, or NotImplemented."""
    target = known(target)
    if isinstance(target, jax.Array):
        return writes.replace(target, target.at[key].set(operator(target[key], value)))
    _check(target, key, value)
    return NotImplemented


def del_item(target: Any, key: Any) -> Any:
    """`del target[key]` is Python's on Python's containers, and refused on arrays."""
    target = known(target)
    if isinstance(target, jax.Array):
        raise error_at_frame(
            StagingError, "an element of an array cannot be deleted", hint="use jnp.delete, or a mask"
        )
    _check(target, key, None)
    return NotImplemented


def _check(target: Any, key: Any, value: Any) -> None:
    aliases.check_change(target)
    if is_staged(key) or isinstance(key, Choice):
        raise error_at_frame(
            StagingError,
            f"an item of a {type(target).__name__} is assigned at a place known only at run time",
            hint="keep the values in an array: jnp.stack(...) makes one of a list",
        )
    if isinstance(target, np.ndarray) and (is_staged(value) or paths.inside() and paths.is_old(target)):
        raise error_at_frame(
            StagingError,
            "a NumPy array is written while JAX traces",
            hint="make it a JAX array, with jnp.asarray or jnp.zeros",
        )
