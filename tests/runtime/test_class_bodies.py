"""Class statements in decorated functions: their statements stay Python's, and are right or refused."""

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check

CALLS = [(np.ones(3),), (-np.ones(3),), (np.arange(3.0),)]


def a_test(x):
    class Settings:
        if x.sum() > 0:
            scale = 2
        else:
            scale = 3

    return Settings.scale


def what_a_run_raises(x):
    class Settings:
        try:
            scale = 1 // int(x.sum() - 3)
        except ZeroDivisionError:
            scale = 7

    return Settings.scale


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (a_test, "compute the value before"),
        (what_a_run_raises, "it stands in a class body"),
    ],
)
def test_refused_with_a_hint(program, words):
    with pytest.raises(autograph.StagingError, match=words):
        rt.function(program)(np.ones(3))


def test_what_helps():
    def scale_of(x):
        if x.sum() > 0:
            found = 2
        else:
            found = 3

        class Settings:
            scale = found

        return Settings.scale

    check(scale_of, *CALLS)


COUNTER = """
class Counter:
    count = 0

counter = Counter()

def step(x):
    counter.count += 1
    return x * counter.count
"""


def test_a_class_of_globals_without_a_name_is_refused():
    def made(module):
        exec(compile(COUNTER, autograph.register_source(COUNTER), "exec"), module)
        return rt.function(module["step"])

    with pytest.raises(autograph.StagingError, match="globals have no `__name__`"):
        made({})(np.ones(2))
    step = made({"__name__": "mine"})
    assert [step(np.ones(1)).item() for _ in range(3)] == [1.0, 2.0, 3.0]
