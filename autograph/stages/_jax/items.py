"""`x[i] = v`, `x[i] += v` on JAX arrays, which are immutable: the variable gets a new array.

>>> import jax.numpy as jnp
>>> set_item(jnp.zeros(3), 1, 5)
Array([0., 5., 0.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import aliases, paths, writes
from autograph.stages._jax.choices import Choice, known
from autograph.stages._jax.tracing import is_staged


def set_item(target: Any, key: Any, value: Any) -> Any:
    """What `target` is after `target[key] = value`, or NotImplemented."""
    target = known(target)
    if isinstance(target, jax.Array):
        if _is_mask(key):
            new = _where(target, key, _for_selected(target, key, value))
        else:
            new = target.at[key].set(_cast(value, target))
        return writes.replace(target, new)
    _check(target, key, value)
    return NotImplemented


def aug_item(target: Any, key: Any, operator: Callable[[Any, Any], Any], value: Any) -> Any:
    """What `target` is after `target[key] op= value`, or NotImplemented."""
    target = known(target)
    if isinstance(target, jax.Array):
        if _is_mask(key):
            items = _where(jnp.ones_like(target), key, target)  # so that elsewhere 1 / items is finite
            new = _where(target, key, operator(items, _for_selected(target, key, value)))
        else:
            new = target.at[key].set(_cast(operator(target[key], value), target))
        return writes.replace(target, new)
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


def _cast(value: Any, target: Any) -> Any:
    """`value` with the dtype of `target`, as NumPy stores it: 2.7 in an array of ints is 2."""
    value = jnp.asarray(value)
    return value if value.dtype == target.dtype else value.astype(target.dtype)


def _is_mask(key: Any) -> bool:
    return is_staged(key) and key.dtype == bool and key.ndim > 0


def _where(target: Any, mask: Any, values: Any) -> Any:
    """`target` with `values` where `mask` holds, which is over its first dimensions."""
    for axis, (length, wanted) in enumerate(zip(mask.shape, target.shape, strict=False)):
        if length != wanted:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {wanted}"
                f" but size of corresponding boolean axis is {length}"
            )
    rows = jnp.reshape(mask, mask.shape + (1,) * (target.ndim - mask.ndim))
    return jnp.where(rows, values, target).astype(target.dtype)


def _for_selected(target: Any, mask: Any, value: Any) -> Any:
    """What each item, or row, gets that `mask` selects; refused where they would get different ones."""
    if jnp.ndim(value) > target.ndim - mask.ndim:
        raise error_at_frame(
            StagingError,
            "an array is assigned to the items that a mask selects, whose number is known only at run time",
            hint="compute it for all items, and choose with jnp.where(mask, ...)",
        )
    return value


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
