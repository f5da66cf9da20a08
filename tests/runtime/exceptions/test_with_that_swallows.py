"""A `with` whose exit may swallow what its block raises at run time."""

from contextlib import contextmanager, suppress

import numpy as np
import pytest

from autograph import StagingError
from runtime import function
from tests.differential import check
from tests.long import some

ROWS = [1.0, 2.0, 3.0], [-1.0, 2.0, 0.5], [0.0, 2.0, -1.0], [5.0, -2.0, 4.0]
CALLS = [(np.array(row),) for row in ROWS]
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Swallow:
    def __init__(self, kind):
        self.kind = kind
        self.seen = 0

    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, t, e, tb):
        print("exit", t, e)
        if t is not None:
            self.seen += 1
        return t is not None and issubclass(t, self.kind)


class Maybe:
    def __init__(self, flag):
        self.flag = flag

    def __enter__(self):
        return 2.0

    def __exit__(self, t, e, tb):
        return self.flag


def check_pos(v):
    if v < 0:
        raise ValueError(f"neg {v}")
    return v * 2


@contextmanager
def ignoring(*kinds):
    print("begin")
    try:
        yield 3.0
    except kinds as e:
        print("ignored", type(e).__name__, e)
    else:
        print("fine")
    finally:
        print("finally")


@contextmanager
def wrapping():
    try:
        yield
    except ValueError as e:
        raise RuntimeError("wrapped") from e


@contextmanager
def cleanup(log):
    log.append("open")
    try:
        yield log
    finally:
        log.append("close")


@contextmanager
def locked(log):
    with cleanup(log) as l:
        yield l


@case
def continue_and_break_in_a_suppress(x):
    total = 0.0
    n = 0
    for v in x:
        with suppress(ValueError):
            n += 1
            if v == 0.5:
                continue
            total += check_pos(v)
            if total > 7:
                break
        print(n, total)
    return total, n


@case
def several_managers(x):
    y = z = 0.0
    with Swallow(KeyError) as a, Swallow(ValueError) as b:
        y = check_pos(x[0])
        with suppress(ZeroDivisionError):
            z = 1 // int(x[1] - 2)
        print("end")
    return y, z, a.seen, b.seen


@case
def generator_that_ignores(x):
    y = 0.0
    with ignoring(ValueError) as k:
        y = k
        y = check_pos(x[0]) * k
    return y


@case
def target_in_a_dict(x):
    d = {}
    with suppress(ValueError), Maybe(False) as d["k"]:
        check_pos(x[0])
    return d


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("name", CASES)
def test_as_python(name, engine):
    check(CASES[name], *CALLS, engines=[engine])


def test_a_manager_that_yields_twice_is_refused():
    @contextmanager
    def twice():
        try:
            yield 1
        except ValueError:
            yield 2

    @function
    def program(x):
        with twice():
            check_pos(x[0])
        return x

    with pytest.raises(StagingError, match="may yield more than once"):
        program(np.array([1.0]))
