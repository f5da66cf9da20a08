"""`where` of many items masks their bits: the results are those of np.where, bit by bit."""

import itertools

import numpy as np
import pytest

from runtime.ops import REGISTRY
from runtime.ops import where as module

SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, 1e-45]


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "F", "D"])
def test_each_choice_has_the_bits_of_numpy(dtype, monkeypatch):
    monkeypatch.setattr(module, "_MANY", 1)
    random = np.random.default_rng(0)
    items = SPECIAL if np.dtype(dtype).kind in "fF" else [0, 1, 7]
    x, y = [random.choice(items, (2, 3, 8)).astype(dtype) for _ in range(2)]
    choices = [
        x,
        y[:1, ::2][:, :1],
        np.asfortranarray(y),
        x[0, 0, 0],
        0,
        0.0,
        -0.0,
        1,
        True,
        2.5,
        np.float32(2),
    ]
    conditions = [random.random((2, 3, 8)) > 0.5, random.random((3, 16))[:, ::2] > 0.5]
    for condition, a, b in itertools.product(conditions, choices, choices):
        expected, found = np.where(condition, a, b), REGISTRY["where"].kernel(condition, a, b)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tobytes() == expected.tobytes(), (a, b)


def test_what_does_not_go_together_is_left_to_numpy(monkeypatch):
    monkeypatch.setattr(module, "_MANY", 1)
    where, condition = REGISTRY["where"].kernel, np.ones(3, bool)
    with pytest.raises(ValueError, match=r"shapes \(3,\) \(2,\) \(3,\)"):
        where(condition, np.ones(2), np.ones(3))
