"""Arrays that are the same in each call are made once, unless somebody may see or change them."""

from __future__ import annotations

import numpy as np
import pytest

import runtime as rt
from tests.differential import ENGINES, Call, check

X = np.array([1.0, 2.0, 3.0])


def powers(x):
    m = np.eye(3) * 0.5
    m = m @ m + np.eye(3)
    return m @ m / m.sum() @ x


def returned(x):
    m = np.ones(3) * 2.0
    return m, m + x


def changed(x):
    m = np.ones(3) * 2.0
    v = m[1:]
    v[0] = x[0]
    return (m * x).sum()


def in_a_branch(x):
    m = np.arange(3.0) + 1.0
    return m if x[0] > 0 else x


def changed_in_a_loop(x):
    m = np.zeros(3)
    for k in range(3):
        m += x * k
    return m.sum()


def kept(x):
    log = []
    m = np.ones(3) + 1.0
    log.append(m)
    log[0][0] = x[1]
    return log, m * 2.0


def warns(x):
    return np.ones(2) / np.zeros(2) + x[:2]


def raises(x):
    return np.arange(6.0).reshape(4, 2) + x


PROGRAMS = [powers, returned, changed, in_a_branch, changed_in_a_loop, kept, warns, raises]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_means_the_same(program):
    check(program, Call(X), Call(-X), Call(X), engines=ENGINES)


def test_no_two_calls_share_an_array():
    f = rt.function(returned)
    first, _ = f(X)
    first[:] = 7.0
    assert f(X)[0].tolist() == [2.0, 2.0, 2.0]


def test_made_once():
    executable = rt.function(powers).get_concrete_function(X).compiled.executable
    assert [op.name for op in executable.graph.operations() if op.name != "constant"] == ["matmul"]


@pytest.mark.parametrize("engine", ["native", "numpy"])
def test_a_known_number_may_be_a_result(engine):
    assert rt.function(lambda: np.arange(4)[2], engine=engine)() == 2
    assert rt.function(lambda x: (np.ones(3).sum(), x), engine=engine)(1.5) == (3.0, 1.5)
