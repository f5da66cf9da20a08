"""Gradients of programs against central differences: both engines, both modes, and of gradients
themselves."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.long import some
from tests.runtime.gradients.differences import directional, gradient
from tests.runtime.gradients.programs import PROGRAMS

CASES = [pytest.param(function, args, id=function.__name__) for function, args in PROGRAMS]


def fresh(args):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize(("function", "args"), CASES)
def test_gradient(function, args, engine):
    value, found = rt.value_and_grad(rt.function(function, engine=engine))(*fresh(args))
    assert value == pytest.approx(function(*fresh(args)), rel=1e-12)
    assert type(found) is type(args[0])
    np.testing.assert_allclose(found, gradient(function, args), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("function", "args"), some(CASES))
def test_tangents_and_second_derivatives(function, args):
    compiled = rt.function(function, engine="numpy")
    direction = np.random.default_rng(1).normal(size=np.shape(args[0]))
    direction = direction if np.ndim(direction) else float(direction)

    def along(f):
        return directional(lambda x: f(x, *fresh(args[1:])), [args[0]], [direction])[0]

    rest = [None] * (len(args) - 1)
    primals, tangents = fresh(args), [direction, *rest]
    _, tangent = rt.jvp(compiled, primals, tangents)
    np.testing.assert_allclose(tangent, along(function), rtol=1e-5, atol=1e-7)
    grad = rt.grad(compiled)
    expected = along(grad)
    np.testing.assert_allclose(rt.hvp(compiled, fresh(args), tangents), expected, rtol=1e-4, atol=1e-6)

    def slope(x, *others):
        return (rt.grad(compiled)(x, *others) * direction).sum()

    if np.ndim(args[0]):
        by_reverse = rt.grad(rt.function(slope, engine="numpy"))(*fresh(args))
        np.testing.assert_allclose(by_reverse, expected, rtol=1e-4, atol=1e-6)


def test_an_array_that_is_written_after_it_was_broadcast_is_refused():
    def f(x):
        x = x * 2.0
        y = np.broadcast_to(x, (2, 3))
        x[0] = 1.0
        return (y * y).sum() + y[0, 1]

    with pytest.raises(StagingError, match=r"written later; broadcast a copy of it"):
        rt.grad(f)(np.array([0.3, 0.7, 1.2]))
