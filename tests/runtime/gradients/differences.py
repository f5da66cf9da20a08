"""Central differences, and what tests of derivatives compare with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

STEP = 1e-6


def directional(function: Callable[..., Any], at: Sequence[Any], along: Sequence[Any]) -> list[np.ndarray]:
    """The derivative of ``function`` (a tuple of results, or one) at a point along a direction."""
    moved = [_results(function(*[_step(x, d, s) for x, d in zip(at, along, strict=True)])) for s in (1, -1)]
    return [(np.asarray(a) - np.asarray(b)) / (2 * STEP) for a, b in zip(*moved, strict=True)]


def _results(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def _step(x: Any, direction: Any, sign: int) -> Any:
    if direction is None:
        return x.copy() if isinstance(x, np.ndarray) else x
    moved = x + sign * STEP * direction
    return type(x)(moved) if isinstance(x, float) else moved


def gradient(function: Callable[..., Any], at: Sequence[Any], argument: int = 0) -> Any:
    """The gradient of a scalar function with respect to one array or float, element by element."""
    x = np.asarray(at[argument], dtype=float)
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        direction = np.zeros(x.shape)
        direction[place] = 1.0
        along = [None] * len(at)
        along[argument] = direction if x.ndim or isinstance(at[argument], np.ndarray) else 1.0
        (found[place],) = directional(function, [_fresh(v) for v in at], along)
    return found


def _fresh(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value
