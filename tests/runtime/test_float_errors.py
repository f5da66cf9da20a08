"""What NumPy is asked to do about floating-point errors: more than a warning is refused, in each call."""

import threading

import numpy as np
import pytest

import autograph
import runtime as rt

ZERO, ONE = np.array([2.0, 0.0]), np.array([1.0, 1.0])


def inverses(x):
    total = 0.0
    for v in x:
        if v > -1:
            total = total + 1 / v
    return total


@pytest.fixture(params=["numpy", "native"])
def f(request):
    return rt.function(inverses, engine=request.param)


@pytest.mark.parametrize("mode", ["raise", "call", "log"])
def test_refused_at_the_first_call(f, mode):
    with np.errstate(divide=mode, call=lambda *_: None if mode == "call" else None):
        with pytest.raises(autograph.StagingError, match=f"asks NumPy to {mode} for 'divide' errors"):
            f(ONE)
    assert f(ONE) == inverses(ONE)  # and nothing is left of it


def test_refused_at_a_later_call(f):
    assert f(ONE) == f(ONE) == 2
    with np.errstate(all="raise"), pytest.raises(autograph.StagingError, match="which a graph does not do"):
        f(ZERO)
    with np.errstate(divide="ignore"):
        assert f(ZERO) == np.inf
    assert f.trace_count == 1


def test_the_place_is_that_of_the_first_operation(f):
    with np.errstate(under="raise"), pytest.raises(autograph.StagingError) as caught:
        f(ONE)
    assert str(caught.value).endswith(
        "np.seterr or np.errstate asks NumPy to raise for 'under' errors, which a graph does not do\n"
        "    total = total + 1 / v\n"
        "                    ^^^^^\n"
        'hint: call it under `with np.errstate(under="warn")`, or decorate it with fallback="python"'
    )


def test_the_fallback_raises_as_numpy_does():
    f = rt.function(inverses, fallback="python")
    with np.errstate(divide="raise"), pytest.warns(UserWarning), pytest.raises(FloatingPointError):
        f(ZERO)


@pytest.mark.parametrize("mode", ["ignore", "warn", "print"])
def test_what_only_tells_of_errors_is_taken(f, mode):
    with np.errstate(all=mode):
        assert f(ONE) == 2


def test_functions_that_make_no_such_errors_are_taken(f):
    @rt.function
    def larger(x, n):
        found = [n + 1]
        for v in x:
            if v > 1:
                found.append(v)
        return found

    with np.errstate(all="raise"):
        assert larger(ZERO, 2) == [3, 2.0]


def test_each_thread_is_asked_for_its_own_state(f):
    f(ONE)
    found = []

    def elsewhere():
        with np.errstate(all="raise"):
            try:
                found.append(f(ONE))
            except autograph.StagingError as error:
                found.append(error.message)
            inside.set()
            done.wait()

    inside, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=elsewhere)
    thread.start()
    inside.wait()
    assert f(ONE) == 2
    done.set()
    thread.join()
    assert "which a graph does not do" in found[0]
