"""Programs under `jax.jit(autograph.convert(f))` give what plain Python gives."""

import jax
import numpy as np
import pytest

import autograph
import autograph.stages.jax


def clip(x):
    if x > 1:
        return 1.0
    if x < -1:
        return -1.0
    return x


def collatz(x):
    steps, n = 0, x
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pytest.mark.parametrize("program", [clip, collatz])
@pytest.mark.parametrize("x", [-3.0, 0.5, 27.0])
def test_under_jit(program, x):
    assert np.allclose(jax.jit(autograph.convert(program))(x), program(x))
