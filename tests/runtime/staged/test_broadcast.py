"""`np.broadcast(a, b)` is refused; the hint gives the shape that arrays have together."""

import numpy as np

from tests.differential import Call, check

A, B = np.arange(3.0), np.arange(2.0)[:, None]


def product(a, b):
    """As packages for quaternions have it."""
    out = np.empty(np.broadcast(a, b).shape)
    out[...] = a * b
    return out


def by_the_hint(a, b):
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[...] = a * b
    return out


def test_refused_with_a_hint():
    assert not check(product, Call(A, B), may_refuse=True)
    check(by_the_hint, Call(A, B))
