"""`tf.keras.initializers`: the first values of weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.tf import math, random
from runtime.tf.names import by_name
from runtime.tf.tensors import convert


class Initializer:
    """Called with a shape, gives a tensor."""

    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        raise NotImplementedError


class Zeros(Initializer):
    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        return math.zeros(shape, dtype)


class Ones(Initializer):
    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        return math.ones(shape, dtype)


class Constant(Initializer):
    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        return math.broadcast_to(convert(self.value, dtype), shape)


class RandomNormal(Initializer):
    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        with random.seeded(self.seed):
            return random.normal(shape, self.mean, self.stddev, dtype)


class RandomUniform(Initializer):
    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        with random.seeded(self.seed):
            return random.uniform(shape, self.minval, self.maxval, dtype)


def fans(shape: Any) -> tuple[int, int]:
    """How many inputs and outputs a unit of a kernel has."""
    if len(shape) < 2:
        return (shape[0], shape[0]) if shape else (1, 1)
    field = int(np.prod(shape[:-2]))
    return shape[-2] * field, shape[-1] * field


class GlorotUniform(Initializer):
    def __init__(self, seed: Any = None) -> None:
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        limit = float(np.sqrt(6 / sum(fans(shape))))
        with random.seeded(self.seed):
            return random.uniform(shape, -limit, limit, dtype)


class HeNormal(Initializer):
    def __init__(self, seed: Any = None) -> None:
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        stddev = float(np.sqrt(2 / fans(shape)[0])) / 0.87962566103423978
        with random.seeded(self.seed):
            return random.truncated_normal(shape, 0.0, stddev, dtype)


class Orthogonal(Initializer):
    def __init__(self, gain: float = 1.0, seed: Any = None) -> None:
        self.gain, self.seed = gain, seed

    def __call__(self, shape: Any, dtype: Any = np.float32) -> Any:
        rows, columns = int(np.prod(shape[:-1])), shape[-1]
        with random.seeded(self.seed):
            drawn = random.normal([max(rows, columns), min(rows, columns)]).numpy()
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diag(r))
        return convert((self.gain * (q if rows >= columns else q.T)).reshape(shape).astype(np.float32))


_KNOWN: dict[str, type[Initializer]] = {
    "zeros": Zeros,
    "ones": Ones,
    "random_normal": RandomNormal,
    "random_uniform": RandomUniform,
    "glorot_uniform": GlorotUniform,
    "he_normal": HeNormal,
    "orthogonal": Orthogonal,
}


def get(identifier: Any) -> Any:
    found = by_name("initializer", identifier, _KNOWN)
    return found() if isinstance(found, type) else found
