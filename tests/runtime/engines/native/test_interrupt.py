"""Ctrl-C ends a run in the middle: every nest of loops looks at signals as often as it has work to do."""

from __future__ import annotations

import itertools
import signal
from types import FrameType
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.engines import native
from tests.runtime.engines.native.graphs import Maker

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="the platform has no interval timers"
)


def interrupted(call: Any) -> bool:
    """Does the call end with the signal that comes a moment after it begins?"""

    def interrupt(_: int, frame: FrameType | None) -> None:
        if frame is None or "weakref" not in frame.f_code.co_filename:  # Python drops what these raise
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 1.0)  # again, where a finalizer took the first
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_endless_loop_can_be_interrupted() -> None:
    m = Maker("bool")
    graph = m.returns(*m.loop(lambda n: m.params[0], lambda n: (m("py.xor", n, 1),), 0))
    executable = native.compile(graph)
    assert interrupted(lambda: executable([True]))
    assert executable([False]) == [0]


def two_loops(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            s = s * 0.5 + x[(i + j) % 3]
    return s


def three_short_loops(x, n):
    s = 0.0
    for _ in range(n):
        for _ in range(n):
            j = 0
            while j < 3:
                s = s * 0.5 + x[j]
                j += 1
    return s


def rows(x, n):
    for _ in range(n):
        for _ in range(n):
            x[1:] += x[:-1]
    return x


def under_conditions(x, n):
    s = 0
    for i in range(n):
        if i % 7 == 0:
            for j in range(n):
                if j % 3 == 0:
                    s += 1
    return s


def kernels(x, n):
    for _ in range(n):
        x = np.sort(x)
    return x


def lists(x, n):
    found = [0.0]
    for _ in range(n):
        for item in x:
            found[0] = found[0] * 0.5 + item
    return found[0]


def recursion(x, n):
    return n if n < 2 else recursion(x, n - 1) + recursion(x, n - 2)


def largest(x, n):
    return x.max()


def total(x, n):
    return (x * 2).sum()


def functions_of_numpy(x, n):
    return np.sin(x).max()


FEW, MANY = np.ones(3), np.broadcast_to(1.0, 10**12)
GRID, PAIRS = np.broadcast_to(1.0, (10**6, 10**6)), np.broadcast_to(1.0, (10**12, 2))
PROGRAMS = [
    *[(f, FEW) for f in (two_loops, three_short_loops, rows, under_conditions, kernels, lists)],
    *itertools.product((largest, total, functions_of_numpy), (MANY, GRID, PAIRS)),
]


@pytest.mark.parametrize(
    ("program", "x"), PROGRAMS, ids=[f"{program.__name__}-{x.ndim}-{x.shape[-1]}" for program, x in PROGRAMS]
)
def test_long_runs_can_be_interrupted(program: Any, x: Any) -> None:
    f = rt.function(program, slow_notice=False, reduce_retracing=True)
    for length in (3, 4, 5):  # so that the call with more compiles nothing: a finalizer could take the signal
        f(np.array(x[(slice(length),) * x.ndim]), length)
    before = len(f.concrete_functions)
    assert interrupted(lambda: f(x.copy() if x is FEW else x, 10**9))
    assert len(f.concrete_functions) == before
    assert all(trace.compiled.engine == "native" for trace in f.concrete_functions)


def test_recursion_can_be_interrupted() -> None:
    f = rt.function(recursion)
    assert f(FEW, 5) == 5
    assert interrupted(lambda: f(FEW, 90))
