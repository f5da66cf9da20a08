"""Python numbers beside arrays: weak in some of NumPy's functions, arrays of their own in others."""

import numpy as np
import pytest

from autograph.errors import StagingError
from runtime import function
from tests.differential import Call, check

SMALL = np.array([1, 100, 0], np.int8)
SINGLE = np.array([1, 100, 0], np.float32)
PLACES = np.array([0, 1, 0])


def outer(x, n):
    return np.multiply.outer(x, n), np.add.outer(n, x), np.subtract.outer(n, n), np.add.outer(x, 3)


def limited_numbers(x, n):
    return np.clip(n, x, 5), np.clip(n, 0, x), np.clip(n, x, None), np.clip(n, 0, 5), np.clip(3, x, 5)


def joined(x, n):
    return np.concatenate([x, n], axis=None), np.concatenate((3, x), None), np.append(x, n), np.hstack([n, x])


def chosen(x, n):
    return np.choose([0, 1, 0], [n, x]), np.choose([0, 1, 0], (x, 3)), np.union1d(x, n), np.union1d(3, x)


def arrays_of_numbers(x, n):
    return np.array_equal(x, n), np.array_equal(n, n), np.column_stack([n, 2]), np.stack([n, x[0]])


@pytest.mark.parametrize("f", [outer, limited_numbers, joined, chosen, arrays_of_numbers])
def test_each_function_takes_numbers_as_numpy_does(f):
    for x in (SMALL, SINGLE, SMALL.astype(np.uint8), SMALL.astype(float)):
        check(f, Call(x, 3), Call(x, 2.5), Call(x, True))


def rows(x, n):
    return np.r_[n, x], np.r_[x, n]


def test_a_number_that_does_not_fit_raises():
    for f in (joined, rows):
        check(f, Call(SMALL, 300), Call(SMALL, -129), Call(SMALL, 3))
    check(limited_numbers, Call(np.array([1, 0], np.uint8), -2))


def limits(x, n):
    try:
        return np.clip(x, n)
    except TypeError as e:
        return str(e)


def limits_twice(x, n):
    return np.clip(x, 1, 2, max=n)


def limits_by_name(x, n):
    return (
        np.clip(x, min=1, max=n),
        x.clip(max=n),
        x.clip(n),
        x[0].clip(n),
        np.clip(x),
        np.clip(x, 1, n, out=x),
    )


@pytest.mark.parametrize("f", [limits, limits_twice, limits_by_name])
def test_both_limits_are_given(f):
    check(f, Call(np.array([1, 5, 9]), 2))


def handled(n):
    try:
        return np.emath.sqrt(n)
    except Exception:
        return None


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_no_handler_of_the_program_takes_a_refusal(engine):
    decorated = function(handled, engine=engine)
    assert decorated(4) == 2.0
    with pytest.raises(StagingError, match="trials while tracing returned f64"):
        decorated(-4)
