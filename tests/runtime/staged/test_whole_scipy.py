"""Functions of SciPy are called as a whole in each run, also where a trace knows all that they are given."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check, check_scenario

integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")
linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")
special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")


def blocks(x):
    block = [[1.0, 2.0], [3.0, 1.0]]
    return linalg.block_diag(block, block) * x, linalg.hilbert(2)


def factored(x):
    """LAPACK writes wherever pivots say: those that trials make up must lie inside."""
    factor, pivots = linalg.lu_factor(np.array([[1.0, 2.0], [3.0, 4.0]]))
    return linalg.lu_solve((factor, pivots), np.array([x, 1.0]))


@pytest.mark.parametrize("function", [blocks, factored])
def test_arguments_that_a_trace_knows(function):
    check(function, Call(0.5), Call(0.7))


def test_a_distribution_with_parameters_from_outside():
    normal = stats.norm(1.0, 2.0)
    check(lambda x: (normal.pdf(x), normal.cdf(x), normal.ppf(0.3) * x), Call(2.0), Call(0.5))


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: stats.norm.rvs(x) - stats.norm.rvs(x),
        lambda x: stats.norm.rvs(x, random_state=np.random.default_rng(0)),
        lambda x: stats.ortho_group.rvs(3) * x,
        lambda x: stats.permutation_test((np.ones(3) * x, np.ones(3)), lambda a, b: 1.0).pvalue,
        lambda x: stats.goodness_of_fit(stats.norm, np.arange(5.0) * x, n_mc_samples=9).pvalue,
    ],
)
def test_what_draws_random_numbers_is_refused(draw):
    def program(function):
        f = function(draw)
        np.random.seed(0)
        return f(1.5), np.random.rand()

    assert not check_scenario(program, may_refuse=True)
    np.random.seed(0)
    expected = np.random.rand()
    np.random.seed(0)
    with pytest.raises(StagingError):
        rt.function(draw)(1.5)
    assert np.random.rand() == expected


def test_numbers_are_drawn_with_a_generator_of_numpy():
    def program(function):
        rng = np.random.default_rng(0)
        f = function(lambda x: rng.normal(x, size=3) - rng.normal(x))
        return f(1.5), f(2.0), rng.random()

    check_scenario(program)


def test_what_is_no_array_cannot_be_a_result():
    assert not check(lambda x: stats.norm(x).pdf(1.0), Call(2.0), may_refuse=True)


def points(function, calls):
    sobol = stats.qmc.Sobol(2, scramble=False)
    f = function(lambda n: sobol.random(n))
    return f(2), f(2), sobol.num_generated


@pytest.mark.parametrize("program", [points])
def test_what_a_trial_would_change_is_refused(program):
    """Trials called the user's function some times more than a run does."""
    assert not check_scenario(lambda function: program(function, []), may_refuse=True)


def test_a_ufunc_may_be_integrated():
    check(lambda x: integrate.quad(np.sin, 0.0, x)[0], Call(1.0), Call(2.0))
