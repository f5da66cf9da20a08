"""Programs under `jit`, `vmap` and `grad` of `autograph.convert(f)` give what plain Python gives."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax
from tests.autograph.stages.jax_programs import PROGRAMS, Program
from tests.long import some

DIFFERENTIABLE = [program for program in PROGRAMS if program.grad]
#: those that have no reverse mode, whose derivative is made of the forward one, and some that have
FORWARD = [program for program in PROGRAMS if program.forward and not program.grad] + DIFFERENTIABLE[::6]


def same(result, expected):
    leaves, structure = jax.tree.flatten(result)
    others, other_structure = jax.tree.flatten(expected)
    assert structure == other_structure
    for leaf, other in zip(leaves, others):
        np.testing.assert_allclose(np.asarray(leaf), np.asarray(other), rtol=2e-5, atol=2e-5)


def plainly(program: Program, arguments):
    return program.function(*copy.deepcopy(arguments))


def total(program: Program):
    """The sum of what a program gives, for gradients."""

    converted = autograph.convert(program.function)
    return lambda *arguments: sum_of_leaves(converted(*arguments))


def sum_of_leaves(result):
    return sum(jnp.sum(jnp.asarray(leaf)) for leaf in jax.tree.leaves(result))


def differences(program: Program, arguments):
    """The gradient of `total` by central differences, in double precision, on plain Python."""
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
    assert len(PROGRAMS) >= 60 and len(DIFFERENTIABLE) >= 40


# The same code stages a program under `jit`, `vmap` and `grad`; compiling takes nearly all the time. So each
# program is tried under one or two of them.
JITTED = [program for program in PROGRAMS if not program.grad] + DIFFERENTIABLE[::3]


@pytest.mark.parametrize("program", some(JITTED, 3), ids=repr)
def test_jit(program):
    compiled = jax.jit(autograph.convert(program.function))
    for arguments in program.arguments:
        same(compiled(*arguments), plainly(program, arguments))


@pytest.mark.parametrize("program", some(PROGRAMS[::2], 3), ids=repr)
def test_vmap(program):
    by_shape = {}
    for arguments in program.arguments:
        by_shape.setdefault(np.shape(arguments[0]), []).append(arguments)
    for group in by_shape.values():
        columns = [np.stack(column) for column in zip(*group)]
        expected = [plainly(program, arguments) for arguments in group]
        stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *expected)
        same(jax.jit(jax.vmap(autograph.convert(program.function)))(*columns), stacked)


@pytest.mark.parametrize("program", some(PROGRAMS[::16]), ids=repr)
def test_vmap_without_jit(program):
    columns = [np.stack([a, a]) for a in program.arguments[0]]
    expected = plainly(program, program.arguments[0])
    stacked = jax.tree.map(lambda leaf: np.stack([leaf, leaf]), expected)
    same(jax.vmap(autograph.convert(program.function))(*columns), stacked)


@pytest.mark.parametrize("program", some(DIFFERENTIABLE[1::2], 3), ids=repr)
def test_gradients(program):
    converted = autograph.convert(program.function)

    def summed(*arguments):
        result = converted(*arguments)
        return sum_of_leaves(result), result

    compiled = jax.jit(jax.grad(summed, has_aux=True))
    for arguments in program.arguments:
        gradient, result = compiled(*arguments)
        np.testing.assert_allclose(gradient, differences(program, arguments), rtol=2e-3, atol=2e-3)
        same(result, plainly(program, arguments))


@pytest.mark.parametrize("program", some(DIFFERENTIABLE[::12]), ids=repr)
def test_gradients_of_jitted_and_of_plain_functions(program):
    f = total(program)
    arguments = program.arguments[-1]
    expected = differences(program, arguments)
    for gradient in (jax.grad(jax.jit(f)), jax.grad(f)):  # under `grad` alone the program runs as Python
        np.testing.assert_allclose(gradient(*arguments), expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("program", some(FORWARD), ids=repr)
def test_forward_mode(program):
    compiled = jax.jit(jax.jacfwd(total(program)))
    for arguments in program.arguments:
        expected = differences(program, arguments)
        np.testing.assert_allclose(compiled(*arguments), expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("program", some(DIFFERENTIABLE[::5]), ids=repr)
def test_gradients_under_vmap(program):
    f = total(program)
    arguments = program.arguments[0]
    columns = [np.stack([a, a]) for a in arguments]
    expected = differences(program, arguments)
    for gradient in jax.jit(jax.vmap(jax.grad(f)))(*columns):
        np.testing.assert_allclose(gradient, expected, rtol=2e-3, atol=2e-3)
