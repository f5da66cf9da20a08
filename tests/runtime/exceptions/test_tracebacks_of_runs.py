"""Tracebacks of what a run raises show every function between, as plain Python's do."""

import re
import traceback

import numpy as np
import pytest

import runtime as rt
from tests.differential import ENGINES
from tests.spread import spread

_OURS = re.compile(r'  File "[^"]*/runtime/functions/functions\.py".*\n(    .*\n)*')


def inner(x):
    if x[0] > 0:
        raise ValueError("pos")
    return 1 // int(x[0])


def static_error(x):
    return helper_static(x, {})


def helper_static(x, d):
    if x[1] > 0:
        return d["k"]
    return d["l"]


def fact(x, n):
    if n <= 0:
        return inner(x)
    return fact(x, n - 1) * 2


def gen2(x):
    while x[1] > 0:
        yield x[1]
        x[1] -= 1


def gen3(x):
    yield from gen2(x)


def via3(x):
    for v in gen3(x):
        inner(x)


def top3(x):
    via3(x)


PROGRAMS = [
    static_error, top3,
]  # fmt: skip


@pytest.mark.parametrize(("program", "first", "engine"), spread(PROGRAMS, [1.0, 0.0], ENGINES))
def test_the_frames_between_are_shown(program, first, engine):
    x = np.array([first, 2.0])
    assert shown(rt.function(program, engine=engine), x) == shown(program, x)


def shown(function, x):
    """The traceback of what it raises, without the frame of the decorated function's own call."""
    with pytest.raises((ValueError, KeyError, ZeroDivisionError)) as caught:
        function(x.copy())
    error = caught.value.with_traceback(caught.value.__traceback__.tb_next)  # without this frame
    text = _OURS.sub("", "".join(traceback.format_exception(error)))
    if function.__name__ == "use_gen":  # a loop is the caller: its carets differ
        text = re.sub(r"\n *[~^]+(?=\n)", "", text)
    return text
