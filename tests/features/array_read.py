"""Section "array-read"."""

import numpy as np

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("index by tensor", (X, np.int64(0)), (X, np.int64(-1)), (X, np.int64(2)), (X, np.int64(3)))
def index_by_tensor(x, i):
    if x[i] > 0:
        return x[i:] * 2
    return x[: i + 1]


@row("boolean mask read", X, Y, -abs(X))
def mask_read(x):
    positive = x[x > 0]
    if len(positive) > 1:
        return positive * 2
    return positive
