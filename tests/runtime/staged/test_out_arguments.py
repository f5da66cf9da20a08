"""`out=`, `where=`, `casting=`, and the methods of ufuncs: NumPy writes, casts and complains as always."""

import numpy as np
import pytest

from tests.differential import CallOf, check

A = np.arange(12.0).reshape(3, 4) - 5


def two():
    return A.copy(), A * 2


def two_of_ints():
    return np.arange(12).reshape(3, 4), A * 2


def one_twice():
    x = A.copy()
    return x, x


def one_read_only():
    x = A.copy()
    x.flags.writeable = False
    return x, A.copy()


ARRAYS = [CallOf(make) for make in (two, two_of_ints, one_twice, one_read_only)]


def cumsum_over_itself(x, y):
    np.cumsum(x, axis=0, out=x)


def matmul_out(x, y):
    out = np.zeros((3, 3))
    np.matmul(x, y.T, out=out)
    return np.dot(x, y.T, out=out) is out, out


def einsum_out(x, y):
    np.einsum("ij->j", y, out=x[1])


def stack_out(x, y):
    np.stack([y[0], y[1], y[2]], out=x)
    np.concatenate([y[:1], y[:2]], out=x)


def overlapping(x, y):
    np.add(x[:-1], x[1:], out=x[1:])
    np.negative(x, out=x[:, ::-1])


def two_outputs(x, y):
    whole = np.empty((3, 4))
    part, other = np.modf(x / 3, out=(x, whole))
    return part, other


def with_casting(x, y):
    np.add(x, y, out=x, casting="unsafe")
    return np.add(x, 1, dtype=int, casting="unsafe")


def masked(x, y):
    np.multiply(x, 2, out=x, where=x > 0, casting="unsafe")


WITH_OUT = [
    cumsum_over_itself,
    matmul_out,
    einsum_out,
    stack_out,
    overlapping,
    two_outputs,
    with_casting,
    masked,
]


@pytest.mark.parametrize("f", WITH_OUT)
def test_out_is_written_as_numpy_writes_it(f):
    check(f, *ARRAYS)


def reductions(x, y):
    return (
        np.add.reduce(x, axis=None),
        np.add.reduce(x, axis=(0, 1)),
        np.add.reduce(x, initial=10),
        np.add.reduce(x, where=x > 0),
        np.add.reduce(x, dtype=np.float32),
        np.add.reduce(x, axis=1, keepdims=True),
        np.add.reduceat(x, [0, 2], axis=1),
        np.maximum.accumulate(x, axis=1),
        np.subtract.outer(x[0], y[0], dtype=np.float32, casting="unsafe"),
    )


def reduce_into(x, y):
    np.add.reduce(y, axis=0, out=x[0])
    return np.maximum.reduce(y, axis=1, keepdims=True)


def at_several(x, y):
    np.add.at(x, ([0, 0], [1, 1]), 2)
    np.add.at(x, (slice(None), 0), 3)
    np.add.at(x, (0, [1, 1]), y[0, 0])
    np.subtract.at(x, [0, 0, 1], 1)
    np.multiply.at(x, x > 3, 2)


@pytest.mark.parametrize("f", [reductions, reduce_into, at_several])
def test_methods_of_ufuncs(f):
    check(f, *ARRAYS)


def bytes_():
    return np.arange(12, dtype=np.uint8).reshape(3, 4), A


def clip_bytes(x, y, low, high):
    return np.clip(x, 0, 300), np.clip(x, -5, 7), x.clip(low, high), np.clip(x, max=high)


def test_limits_of_clip_may_lie_beyond_the_dtype():
    check(
        clip_bytes,
        *[CallOf(lambda low=low, high=high: (*bytes_(), low, high)) for low, high in ((2, 300), (-1, 5))],
    )


def corners(x, y):
    x[np.ix_([0, 2], [1, 3])] = 0
    x[np.triu_indices(3)] += 1
    x[np.diag_indices(3)] = -1
    return x[np.tril_indices(3, -1)]


def test_arrays_of_indices_that_numpy_makes_of_plain_numbers():
    check(corners, CallOf(two), CallOf(two_of_ints))


WRONG_IN_SEVERAL_WAYS = [
    lambda x, y, out: np.add(x, y, out=out),
    lambda x, y, out: np.add(x, y, out=out, where=y > 0),
    lambda x, y, out: np.sqrt(x, out=out, where=np.array([True, False])),
    lambda x, y, out: np.matmul(x, y.T, out=out[:, :3]),
    lambda x, y, out: out.__iadd__(x),
    lambda x, y, out: out.__ior__(y),
]


@pytest.mark.parametrize("write", WRONG_IN_SEVERAL_WAYS)
def test_numpy_complains_of_read_only_arrays_then_of_dtypes_then_of_shapes(write):
    outs = [A.copy(), np.zeros((3, 4), np.int8), one_read_only()[0], one_read_only()[0].astype(np.int8), A[0]]
    outs[3].flags.writeable = False
    outs += [np.zeros((1, 3, 4)), np.zeros((2, 3)), np.zeros((3, 5), bool)]
    for out in outs:

        def made(x, y, out=out):
            copied = out.copy()
            copied.flags.writeable = out.flags.writeable
            return x, y, copied

        pairs = [(A, A), (A, A[0]), (A[None], A), (A, A.T)]
        check(write, *[CallOf(lambda x=x, y=y, made=made: made(x, y)) for x, y in pairs])
