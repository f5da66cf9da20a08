"""`np.broadcast(a, b)` is asked for the shape that arrays have together; its items are refused."""

import numpy as np
import pytest

from tests.differential import Call, check

A, B = np.arange(3.0), np.arange(2.0)[:, None]
CALLS = [Call(A, B), Call(A + 1, B), Call(A, np.arange(4.0)[:, None])]


def product(a, b):
    """As packages for quaternions have it."""
    both = np.broadcast(a, b)
    out = np.empty(both.shape)
    out[...] = a * b
    if a[0] > 0:
        out += both.size
    return out, both.ndim, both.nd, both.numiter


def others(a, b):
    return np.broadcast(a, 3, [1.0, 2.0, 3.0]).shape, np.broadcast(a).shape, np.broadcast(b, a, b).numiter


def do_not_fit(a, b):
    return np.broadcast(a, a[:2]).shape


@pytest.mark.parametrize("f", [product, others, do_not_fit])
def test_as_in_plain_python(f):
    check(f, *CALLS)


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: [x * y for x, y in np.broadcast(a, b)],
        lambda a, b: np.broadcast(a, b).index,
        lambda a, b: np.broadcast(a, b),
        lambda a, b: print(np.broadcast(a, b)),
    ],
)
def test_refused(f):
    assert not check(f, *CALLS, may_refuse=True)
