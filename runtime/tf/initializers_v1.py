"""Initializers by the names of `tf.compat.v1`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.tf import math, random

Initializer = Callable[..., Any]


def random_normal_initializer(mean: float = 0.0, stddev: float = 1.0, seed: Any = None) -> Initializer:
    return lambda shape, dtype=np.float32: _drawn(seed, random.normal, shape, mean, stddev, dtype)


def random_uniform_initializer(minval: float = 0.0, maxval: float = 1.0, seed: Any = None) -> Initializer:
    return lambda shape, dtype=np.float32: _drawn(seed, random.uniform, shape, minval, maxval, dtype)


def glorot_uniform_initializer(seed: Any = None) -> Initializer:
    def make(shape: Any, dtype: Any = np.float32) -> Any:
        limit = float(np.sqrt(6 / max(sum(shape[-2:]), 1)))
        return _drawn(seed, random.uniform, shape, -limit, limit, dtype)

    return make


def _drawn(seed: int | None, draw: Initializer, *args: Any) -> Any:
    with random.seeded(seed):
        return draw(*args)


def zeros_initializer() -> Initializer:
    return lambda shape, dtype=np.float32: math.zeros(shape, dtype)


def ones_initializer() -> Initializer:
    return lambda shape, dtype=np.float32: math.ones(shape, dtype)


def constant_initializer(value: Any = 0) -> Initializer:
    return lambda shape, dtype=np.float32: math.broadcast_to(math.constant(value, dtype), shape)
