"""`rt.debugging.check_numerics`: which operation, on which line, made a NaN or an infinity."""

import threading

import numpy as np
import pytest

import runtime as rt
from autograph.errors import AutographError
from tests.differential import ENGINES

X = np.array([1.0, 2.0, 5.0])


def logs(x):
    for i in range(3):
        x = x - i
        y = np.log(x)  # at i = 1: log(0)
    return y


def writes(x):
    y = np.empty(3)
    y[:] = x
    y /= x - 2.0
    return y


def overflows(x):
    scale = 1e308
    if x[0] > 0:
        scale = scale * float(x[2])
    return scale


def calls(x):
    return np.sum(root(-x))


def root(x):
    return np.sqrt(x)


def as_a_whole(x):
    return np.cov(x[:1])


def handled(x):
    try:
        return np.exp(x * 1000)
    except ArithmeticError:
        return x


def recursive(x, n=5):
    return x if n == 0 else recursive(np.log(x), n - 1)


MADE = "an infinity of finite values"
FOUND = [
    (logs, "y = np.log(x)  # at i = 1: log(0)", f"`log` makes {MADE}, at index 0: log(0.0)"),
    (writes, "y /= x - 2.0", f"`true_divide` makes {MADE}, at index 1: true_divide(2.0, 0.0)"),
    (overflows, "scale = scale * float(x[2])", f"`mul` makes {MADE}: mul(1e+308, 5.0)"),
    (calls, "return np.sqrt(x)", "`sqrt` makes a NaN of finite values, at index 0: sqrt(-1.0)"),
    (as_a_whole, "return np.cov(x[:1])", "`cov` makes a NaN of finite values"),
    (handled, "return np.exp(x * 1000)", f"`exp` makes {MADE}, at index 0: exp(1000.0)"),
    (
        recursive,
        "return x if n == 0 else recursive(np.log(x), n - 1)",
        f"`log` makes {MADE}, at index 0: log(0.0)",
    ),
]


@pytest.mark.filterwarnings("ignore:Degrees of freedom")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program, line, message", FOUND, ids=[program.__name__ for program, *_ in FOUND])
def test_the_operation_and_the_line_are_named(program, line, message, engine):
    f = rt.function(program, engine=engine)
    with np.errstate(all="ignore"):
        f(X.copy())  # the short way into the trace is there
        expected = f(X.copy())
    with rt.debugging.check_numerics(), pytest.raises(rt.debugging.NumericsError) as caught:
        f(X.copy())
    assert caught.value.message == message
    assert caught.value.source_line.strip() == line
    assert caught.value.file == __file__
    with np.errstate(all="ignore"):
        assert np.array_equal(f(X.copy()), expected, equal_nan=True)  # off again


def test_what_was_not_finite_before_is_no_error():
    @rt.function
    def f(x, bound=np.inf):
        best = np.inf
        for i in range(3):
            best = min(best, x[i])
        filled = np.full(3, np.nan)
        filled[:2] = x[:2]
        return best, filled * 2, x + bound, np.max(x, initial=-np.inf), np.nanmax(filled)

    expected = f(X)
    with rt.debugging.check_numerics():
        assert repr(f(X)) == repr(expected)
        assert np.isnan(f(X * [1.0, np.nan, 1.0])[1]).sum() == 2


def test_a_call_switches_it_on_and_off_for_all_threads():
    f = rt.function(root)
    f(-X)
    rt.debugging.check_numerics()
    try:
        failed = []
        thread = threading.Thread(target=lambda: failed.append(pytest.raises(AutographError, f, -X)))
        thread.start()
        thread.join()
        assert len(failed) == 1
        with rt.debugging.check_numerics(False):
            assert np.isnan(f(-X)).all()
        with pytest.raises(FloatingPointError):
            f(-X)
    finally:
        rt.debugging.check_numerics(False)
    assert np.isnan(f(-X)).all()


def test_effects_before_it_have_happened():
    v = rt.Variable(X)

    @rt.function
    def f(x):
        v.assign_add(x)
        return np.log(v - 10)

    with rt.debugging.check_numerics(), pytest.raises(rt.debugging.NumericsError):
        f(X)
    assert v.tolist() == [2.0, 4.0, 10.0]
