"""Warnings, logging, clocks, random numbers: called at that point of every run, on the real objects."""

import io
import logging
import random
import sys
import time
import warnings

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, CallOf, check, check_scenario

log = logging.getLogger("tests.run_time_calls")
module_rng = np.random.default_rng(0)


def draws(n, rng):
    inside = 0
    for _ in range(n):
        x, y = rng.uniform(-1, 1), rng.uniform(-1.0, 1.0)
        if x * x + y * y < 1:
            inside += 1
    return inside, rng.normal(size=3), rng.normal(0, [1.0, 2.0]), rng.standard_normal((2, n)).shape


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_numbers_come_from_the_generator_that_is_passed(make):
    check(draws, CallOf(lambda: (5, make(1))), CallOf(lambda: (5, make(2))), CallOf(lambda: (7, make(1))))


def makes_a_generator(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, n + 1, size=5)
    rng.shuffle(x)
    return x, rng.choice(x), rng.permutation(n), rng.integers(n), rng.poisson(2.0), rng.random()


def test_a_generator_made_inside():
    check(makes_a_generator, Call(3, 4), Call(4, 4), Call(3, 9))


def global_numbers(seed, n):
    np.random.seed(seed)
    random.seed(seed)
    total = 0
    while random.random() < 0.8 and total < 100:
        total += random.randint(1, 6)
    k = np.random.randint(0, 10)
    return total, k, type(k).__name__, np.random.rand(), np.random.randn(n), random.gauss(0.0, 1.0)


def test_the_generators_of_the_modules():
    check(global_numbers, Call(1, 3), Call(2, 3), Call(2, 5))


class Annealing:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def run(self, steps):
        x, temperature = 10.0, 1.0
        for _ in range(steps):
            y = x + self.rng.normal()
            worse = abs(y) - abs(x)
            if worse < 0 or self.rng.random() < np.exp(-worse / temperature):
                x = y
            temperature *= 0.99
        return x


def test_a_generator_in_an_object():
    def scenario(function):
        annealing = Annealing(3)
        run = function(lambda n: annealing.run(n))
        return run(20), run(30), annealing.rng.random()

    check_scenario(scenario)


def test_another_generator_in_its_place():
    def scenario(function):
        global module_rng

        @function
        def draw(n):
            return module_rng.random() + n

        module_rng = np.random.default_rng(0)
        first = draw(1)
        module_rng = np.random.default_rng(0)
        return first == draw(1), draw(1)

    check_scenario(scenario)


def warns(n):
    for i in range(n):
        if i % 2:
            warnings.warn(f"odd: {i}", stacklevel=1)
    return n


def test_warnings_name_the_users_line():
    check(warns, Call(4), Call(2))
    shown = []
    for f in (warns, rt.function(warns)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            f(2)
        shown.append([(str(w.message), w.category, w.filename, w.lineno) for w in caught])
    assert shown[0] == shown[1]


def logs(x):
    for i, value in enumerate(x):
        if value < 0:
            log.warning("item %d is %.2f", i, value)
    if log.isEnabledFor(logging.DEBUG):
        log.debug("done")
    return x.sum()


@pytest.mark.parametrize("level", [logging.WARNING, logging.DEBUG])
def test_logging_has_the_users_line(level):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(lineno)d %(funcName)s %(pathname)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(level)
    try:
        for f in (logs, rt.function(logs)):
            f(np.array([1.0, -2.0, -3.0]))
    finally:
        log.removeHandler(handler)
    lines = stream.getvalue().splitlines()
    half = len(lines) // 2
    assert half >= 2 and lines[:half] == lines[half:]


def test_clocks_run_at_run_time():
    @rt.function
    def timed(n):
        began = time.perf_counter()
        total = 0
        for i in range(n):
            total += i
        return time.perf_counter() - began > 0, total

    assert timed(1000) == timed(1000) == (True, 499500)
    assert rt.function(lambda: time.time_ns())() < rt.function(lambda: time.time_ns())()


def prints_to_streams(n, file):
    if n > 0:
        print("to the file", n, file=file)
        print("to stderr", n, file=sys.stderr)
    print("out", n, file=sys.stdout)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_print_to_a_file(engine, capsys):
    f = rt.function(prints_to_streams, engine=engine)
    for file in (io.StringIO(), io.StringIO()):
        f(1, file)
        assert file.getvalue() == "to the file 1\n"
        assert capsys.readouterr() == ("out 1\n", "to stderr 1\n")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: warnings.warn(f"late: {x}", stacklevel=2), r"`warn\(stacklevel=...\)` asks for callers"),
        (lambda x: log.error("no: %s", x, exc_info=True), r"`error\(\)` asks for the exception or the stack"),
        (lambda x: log.exception("no: %s", x), r"`exception\(\)` asks for the exception or the stack"),
        (lambda x: module_rng.normal(0, x), "`normal` of a random generator cannot be staged with these"),
    ],
)
def test_refused(function, words):
    with pytest.raises(StagingError, match=words) as refused:
        rt.function(function)(-np.ones((2, 2), "complex"))
    assert refused.value.file == __file__


def uses_modules_that_the_tracer_uses_too(x):
    if sys.maxsize > 0 and x[0] > 1:
        print("large", file=sys.stdout)
    if x[0] < 0:
        warnings.warn("negative", stacklevel=1)
    return np.trapezoid(x) if hasattr(np, "trapezoid") else x.sum() * np.pi


def test_modules_of_libraries_stay_as_they_are_for_libraries():
    check(uses_modules_that_the_tracer_uses_too, Call(np.array([2.0, 1.0])), Call(np.array([-2.0, 1.0])))
