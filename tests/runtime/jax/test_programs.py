"""Programs under `jit`, `vmap` and `grad` of `rt.to_jax(f)` give what plain Python gives, or are refused."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import runtime as rt
from tests.long import some
from tests.runtime.jax.programs import PROGRAMS, Program

#: what XLA has not, and what is written with functions of jax.numpy or jax.random
REFUSED = set(
    """
    annealing ternary_not_evaluated function_chosen appended random_keys python_numbers_stay_python
    binary_search none_or_greater
    """.split()
)
#: a loop over a range whose length only a run knows: JAX has no reverse mode for it
NO_REVERSE = {"first_few"}
RIGHT = [program for program in PROGRAMS if repr(program) not in REFUSED]
DIFFERENTIABLE = [program for program in RIGHT if program.grad and repr(program) not in NO_REVERSE]
FORWARD = [program for program in RIGHT if program.forward and program not in DIFFERENTIABLE]


def same(result, expected):
    leaves, structure = jax.tree.flatten(result)
    others, other_structure = jax.tree.flatten(expected)
    assert structure == other_structure
    for leaf, other in zip(leaves, others):
        np.testing.assert_allclose(np.asarray(leaf), np.asarray(other), rtol=2e-5, atol=2e-5)


def plainly(program: Program, arguments):
    return program.function(*copy.deepcopy(arguments))


def sum_of_leaves(result):
    return sum(jnp.sum(jnp.asarray(leaf)) for leaf in jax.tree.leaves(result))


def differences(program: Program, arguments):
    """The gradient of the sum of all results by central differences, in double precision, on plain Python."""
    wide = [np.asarray(a, np.float64) if np.asarray(a).dtype == np.float32 else a for a in arguments]
    first = wide[0]

    def at(value):
        result = plainly(program, (value if first.ndim else value[()], *wide[1:]))
        return sum(np.sum(np.asarray(leaf, np.float64)) for leaf in jax.tree.leaves(result))

    gradient = np.zeros(first.shape)
    for index in np.ndindex(first.shape):
        step = np.zeros(first.shape)
        step[index] = 1e-4
        gradient[index] = (at(first + step) - at(first - step)) / 2e-4
    return gradient


def test_there_are_enough():
    assert len(RIGHT) >= 120 and len(DIFFERENTIABLE) >= 70


# The same code stages a program under `jit`, `vmap` and `grad`; compiling takes nearly all the time. So each
# program is tried under one or two of them.
@pytest.mark.parametrize("program", some([p for p in RIGHT if not p.grad] + DIFFERENTIABLE[::3], 6), ids=repr)
def test_jit(program):
    compiled = jax.jit(rt.to_jax(program.function))
    for arguments in program.arguments:
        same(compiled(*arguments), plainly(program, arguments))


@pytest.mark.parametrize("program", some([p for p in RIGHT[::2] if repr(p) != "knapsack"], 6), ids=repr)
def test_vmap(program):
    by_shape = {}
    for arguments in program.arguments:
        by_shape.setdefault(np.shape(arguments[0]), []).append(arguments)
    for group in by_shape.values():
        columns = [np.stack(column) for column in zip(*group)]
        expected = [plainly(program, arguments) for arguments in group]
        stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *expected)
        same(jax.jit(jax.vmap(rt.to_jax(program.function)))(*columns), stacked)


@pytest.mark.parametrize("program", some(DIFFERENTIABLE[1::2], 4), ids=repr)
def test_gradients(program):
    on_jax = rt.to_jax(program.function)

    def summed(*arguments):
        result = on_jax(*arguments)
        return sum_of_leaves(result), result

    compiled = jax.jit(jax.grad(summed, has_aux=True))
    for arguments in program.arguments:
        gradient, result = compiled(*arguments)
        np.testing.assert_allclose(gradient, differences(program, arguments), rtol=2e-3, atol=2e-3)
        same(result, plainly(program, arguments))


@pytest.mark.parametrize("program", some(FORWARD, 4), ids=repr)
def test_forward_mode(program):
    on_jax = rt.to_jax(program.function)
    compiled = jax.jit(jax.jacfwd(lambda *arguments: sum_of_leaves(on_jax(*arguments))))
    for arguments in program.arguments:
        expected = differences(program, arguments)
        np.testing.assert_allclose(compiled(*arguments), expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("program", some([p for p in PROGRAMS if repr(p) in REFUSED], 4), ids=repr)
def test_refused(program):
    with pytest.raises(autograph.AutographError):
        jax.jit(rt.to_jax(program.function))(*program.arguments[0])
