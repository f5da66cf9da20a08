"""Plain NumPy code gives what JAX by hand gives: small on a CPU, large on a GPU.

python -m pytest tests/runtime/jax/test_by_hand.py
python tests/benchmarks/jax_by_hand.py            (how long both take)
"""

import jax
import numpy as np
import pytest

import runtime as rt
from tests.benchmarks.jax_by_hand import PROGRAMS, arguments, sides
from tests.long import some

DEVICE = jax.default_backend()


@pytest.mark.parametrize("name", some(PROGRAMS, 3))
def test_beside_jax_by_hand(name):
    given = arguments(name, 0 if DEVICE == "cpu" else 1)
    found, expected = (jax.tree.leaves(f(*given)) for f in sides(name))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, 1e-2, 1e-2)
        assert a.devices() == b.devices()


@pytest.mark.skipif(DEVICE == "cpu", reason="JAX finds no GPU here")
def test_arrays_stay_on_the_gpu():
    @rt.function(engine="jax")
    def f(x):
        while x.sum() > 1:
            x = x / 2
        return x

    x = jax.device_put(np.arange(1000, dtype=np.float32))
    with jax.default_device(jax.devices("cpu")[0]):
        assert f(x).devices() == x.devices()
    assert type(f(np.arange(9.0))) is np.ndarray
