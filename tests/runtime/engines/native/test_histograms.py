"""Histograms over equal bins are NumPy's to the last bit, and so are its errors and warnings."""

import warnings

import numpy as np
import pytest

import runtime as rt

RANDOM = np.random.default_rng(0)
NUMBERS = {
    "many": RANDOM.standard_normal(150_000) * 1e5, "reversed": RANDOM.random(99)[::-2],
    "table": RANDOM.random((5, 6)), "turned": RANDOM.random((5, 6)).T, "alike": np.ones(3),
    "none": np.empty(0),
    "nan": np.array([0, np.nan]), "infinite": np.array([0, np.inf]), "wide": np.array([-1e308, 1e308]),
    "near": np.array([1, 1 + 2e-16]), "tiny": np.array([5e-324, 0]), "on_edges": np.arange(11) / 10,
    "zeros": np.array([-0.0, 0.0, 1]), "int32": RANDOM.integers(-5, 9, 50).astype("i4"),
    "uint8": RANDOM.integers(0, 255, 99).astype("u1"), "int64": RANDOM.integers(-9, 9, 9),
    "float32": RANDOM.random(9).astype("f4"), "bool": RANDOM.random(9) > 0.5,
}  # fmt: skip


def of_seven(x, n, w):
    return np.histogram(x, 7)


def within(x, n, w):
    return *np.histogram(x, n, (0.25, 0.75)), np.histogram(x, n, range=(0, 1), weights=w)[0]


def weighted(x, n, w):
    return *np.histogram(x, n), *np.histogram(x, n, weights=w)


def outcome(function, arguments):
    with warnings.catch_warnings(), np.errstate(over="warn", divide="warn", invalid="warn"):
        warnings.simplefilter("error")
        try:
            return [(a.dtype, a.tobytes()) for a in function(*arguments)]
        except (ValueError, RuntimeWarning) as error:
            return type(error), str(error)


@pytest.mark.parametrize("function", [of_seven, within, weighted])
def test_histograms_have_numpys_bits(function):
    ours = rt.function(function, engine="native", reduce_retracing=True)
    for name, x in NUMBERS.items():
        for n in (1, 10, 0, -3, 1000):
            arguments = x, n, RANDOM.random(x.shape if n != 10 or name != "many" else 3)
            assert outcome(ours, arguments) == outcome(function, arguments), (name, n)
    assert all(trace.kernels in ([], ["histogram"]) for trace in ours.explain().traces)
