"""`tf.keras.utils`."""

from __future__ import annotations

import random as python_random
from typing import Any

import numpy as np

from runtime.tf import random


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Rows with one 1.

    >>> to_categorical([0, 2])
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    labels = np.asarray(x, dtype=np.int64)
    return np.eye(int(labels.max()) + 1 if num_classes is None else num_classes)[labels]


def set_random_seed(seed: int) -> None:
    """Of Python, NumPy and tf."""
    python_random.seed(seed)
    np.random.seed(seed)
    random.set_seed(seed)
