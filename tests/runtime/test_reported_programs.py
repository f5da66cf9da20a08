"""Programs after public reports of what other compilers refuse, get wrong, or compile for minutes."""

import contextlib

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check

ROWS = [np.arange(2.0 * rows).reshape(rows, 2) for rows in (2, 3, 1)]
GROUPS = tuple(tuple(np.ones(k) for k in range(1, 6)) for _ in range(50))


def order_of_generator_and_with(x):
    told = []

    def halves(y):
        told.append("begins")
        try:
            yield y + 1
            yield y + 2
        finally:
            told.append("ends")

    @contextlib.contextmanager
    def manager(mode):
        told.append(f"enter {mode}")
        yield mode
        told.append("exit")

    values = halves(x)
    with manager(x > 1):
        told.append("inside")
        found = list(values)
    return found, told


def sum_of_long_tuples(groups):
    total = 0.0
    for group in groups:
        for x in group:
            total += x.sum()
    return total, groups[0]


def product_of_lists(a, b):
    out = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i][j] += a[i][k] * b[k][j]
    return out


def random_walk(n, seed):
    rng = np.random.default_rng(seed)
    x = top = 0.0
    for _ in range(n):
        if rng.random() < 0.5:
            x += 1
        else:
            x -= 1
        if x > top:
            top = x
    return x, top


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (order_of_generator_and_with, [(2,), (0,), (np.float64(1.5),)]),
        (sum_of_long_tuples, [(GROUPS,)]),
        (product_of_lists, [([[float(i * j % 7) for j in range(12)] for i in range(12)],) * 2]),
        (random_walk, [(5000, 1), (20, 3)]),
    ],
)
def test_means_the_same(function, calls):
    check(function, *[Call(*call) for call in calls])


def test_one_trace_for_long_tuples():
    f = rt.function(sum_of_long_tuples)
    assert f(GROUPS)[0] == f(GROUPS)[0] == 750.0
    assert f.trace_count == 1


@pytest.mark.parametrize("x", ROWS)
def test_a_loss_that_is_added_up(x):
    """Under a tape with plain Python around it, and decorated."""
    w, y = rt.Variable([1.0, 2.0]), np.ones(len(x))

    def slope(x, y):
        with rt.GradientTape() as tape:
            loss = 0.0
            for k in range(len(x)):
                e = x[k] @ w - y[k]
                loss += e * e
            loss /= len(x)
        return tape.gradient(loss, w)

    wanted = 2 * x.T @ (x @ [1.0, 2.0] - y) / len(x)
    for found in (slope(x, y), rt.function(slope)(x, y)):
        np.testing.assert_allclose(np.asarray(found), wanted)


@pytest.mark.parametrize("x", [np.array([1, 2, 3]), [1, 2]])
def test_a_gradient_at_ints_says_what_to_pass(x):
    with pytest.raises(TypeError, match="float"):
        rt.grad(lambda x: np.sum(np.exp(x)))(x)


def test_which_of_several_arrays_it_is_is_refused_by_name():
    def rotated(n):
        a, b, c = np.zeros(1), np.zeros(1), np.zeros(1)
        first = a
        for _ in range(n):
            a, b, c = c, a, b
        return a is first, b is first, c is first

    with pytest.raises(StagingError, match=r"whether two values are the same object \(`is`\) is not staged"):
        rt.function(rotated)(3)
