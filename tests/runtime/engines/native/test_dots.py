"""Products of vectors have NumPy's bits: whatever their dtype, their length, and where their numbers lie."""

import numpy as np
import pytest

import runtime as rt

PRODUCTS = {
    "matmul": lambda x, y: x @ y,
    "dot": lambda x, y: np.dot(x, y),
    "inner": lambda x, y: np.inner(x, y),
    "vdot": lambda x, y: np.vdot(x, y),
}
LENGTHS = (0, 1, 2, 3, 4, 7, 15, 16, 17, 31, 40, 129)


def layouts(n, dtype, random):
    """So many elements side by side, apart, reversed, repeated, and not at places of numbers."""
    numbers = random.standard_normal(2 * n + 2).astype(dtype)
    yield numbers[:n]
    yield numbers[: 2 * n : 2]
    yield numbers[:n][::-1]
    yield numbers[: 2 * n : 2][::-1]
    yield np.broadcast_to(numbers[:1], (n,))
    misplaced = np.zeros((2 * n + 2) * numbers.itemsize, "u1")[3 : 3 + n * numbers.itemsize].view(dtype)
    misplaced[:] = numbers[:n]
    yield misplaced


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_have_numpys_bits(name, dtype):
    product, random = PRODUCTS[name], np.random.default_rng(0)
    ours = rt.function(product, engine="native", reduce_retracing=True)
    for n in LENGTHS:
        for x in layouts(n, dtype, random):
            for y in layouts(n, dtype, random):
                expected, found = product(x, y), ours(x, y)
                assert type(found) is type(expected)
                assert found.tobytes() == expected.tobytes(), (n, x.strides, y.strides)


def test_where_the_order_is_another_numpys_loop_is_called(monkeypatch):
    monkeypatch.setattr("runtime.engines.native.dots.order", lambda: None)
    test_products_have_numpys_bits("matmul", "f8")
    test_products_have_numpys_bits("dot", "f8")


def test_a_recurrence_that_grows_errors_has_numpys_bits():
    @rt.function(engine="native")
    def durbin(r):
        y = np.empty_like(r)
        alpha, beta = -r[0], 1.0
        y[0] = -r[0]
        for k in range(1, r.shape[0]):
            beta *= 1.0 - alpha * alpha
            alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
            y[:k] += alpha * np.flip(y[:k])
            y[k] = alpha
        return y

    for r in (np.arange(301.0, 1, -1), np.random.default_rng(3).random(300)):
        assert durbin(r).tobytes() == durbin.__wrapped__(r).tobytes()
