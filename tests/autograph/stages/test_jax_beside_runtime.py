"""Both stages registered: each gets its own values, and a program that mixes them is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax
import runtime as rt
from autograph.registry import registered_stages


def halve(x):
    steps = 0
    while x > 1:
        x = x / 2
        steps += 1
    return steps


def test_the_same_function_under_both():
    assert rt.function(halve)(np.float64(20)) == 5
    assert jax.jit(autograph.convert(halve))(20.0) == 5
    assert halve(20) == 5
    assert [stage.name for stage in registered_stages()].count("jax") == 1


def test_results_pass_from_one_to_the_other():
    doubled = rt.function(lambda x: x * 2 if x.sum() > 0 else x)
    steps = jax.jit(autograph.convert(halve))
    assert steps(jnp.asarray(doubled(np.ones(4)).sum())) == 3


@rt.function
def doubled(x):
    if x.sum() > 0:
        return x * 2
    return x


@pytest.mark.parametrize("value", [np.ones(3), 3.0])
def test_a_function_of_the_runtime_inside_a_jax_trace(value):
    def f(x):
        if x > 0:
            return x + doubled(value).sum()
        return x

    with pytest.raises(
        autograph.StagingError, match="`doubled` is a function of the runtime, and is called inside"
    ):
        jax.jit(autograph.convert(f))(1.0)


def test_a_tracer_for_a_function_of_the_runtime():
    with pytest.raises(autograph.StagingError, match="inside a trace of stage 'jax'"):
        jax.jit(autograph.convert(lambda x: doubled(x)))(jnp.ones(3))


def test_a_jitted_function_inside_a_trace_of_the_runtime():
    jitted = jax.jit(autograph.convert(halve))

    @rt.function
    def f(x):
        return jitted(x.sum())

    with pytest.raises(autograph.StagingError, match="a graph would keep what it gives"):
        f(np.ones(3))
