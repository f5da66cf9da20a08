"""``try`` in machine code: which handler gets an exception, and that nothing is lost on the way.

What handlers see and raise, and tracebacks, are compared in tests/runtime/exceptions on both engines.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.engines import native
from tests.differential import Call, check
from tests.runtime.engines.native.test_memory import counts

X = np.array([1.0, -2.0, 0.0, 3.0, -0.5, 2.0])


def in_a_loop(x, names):
    n, s = 0, 0.0
    for i in range(len(x)):
        word = names[i % len(names)] + "!"
        try:
            n += 1
            if x[i] < 0:
                raise ValueError(word)
            s = s + 10 // int(x[i])
        except ValueError as error:
            n -= len(str(error))
        except ZeroDivisionError:
            s = -s
    return n, s


def around_a_loop(x, names):
    parts = []
    part = x
    try:
        for i in range(len(x)):
            part = x[: i + 1] * 2.0
            parts.append(names[i])
            if x[i] == 0.0:
                raise KeyError(names[i])
    except (KeyError, IndexError):
        parts.append("end")
    return parts, part


def in_each_other(x, names):
    seen = []
    for v in x:
        try:
            try:
                seen.append(1 // int(v))
            except ZeroDivisionError:
                seen.append(0)
                raise IndexError(names[0]) from None
            finally:
                seen.append(-1)
        except IndexError as error:
            seen.append(len(str(error)))
    return seen


def passes_on(x, names):
    for i in range(len(x)):
        word = names[0] + names[1]
        try:
            if x[i] == 0.0:
                raise KeyError(word)
        except ValueError:
            return i
    return -1


PROGRAMS = [in_a_loop, around_a_loop, in_each_other, passes_on]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_handler_gets_what_it_names(program: Any) -> None:
    for names in (["ab", "c", "def"], ["a", "b", "c", "d", "e", "f"]):
        check(program, Call(X, names), Call(X[:2], names), Call(np.ones(3), names))


@pytest.mark.usefixtures("fresh_heap")
@pytest.mark.parametrize("program", PROGRAMS)
def test_no_reference_is_lost(program: Any) -> None:
    names = ["ab", "c", "def"]
    concrete = rt.function(program).get_concrete_function(X, names)
    arguments = dict(zip(("x", "names"), (X, names), strict=True))
    counts(concrete.optimized, *[arguments[value.hint] for value in concrete.optimized.params])


@pytest.mark.parametrize("program", PROGRAMS)
def test_all_of_it_is_machine_code(program: Any) -> None:
    graph = rt.function(program).get_concrete_function(X, ["ab", "c", "def"]).optimized
    assert native.supports(graph) is None
    assert "handler" in native.compile(graph).loops


def test_python_handles_what_it_handled_before() -> None:
    compiled = rt.function(in_a_loop)
    try:
        raise KeyError("outside")
    except KeyError as outside:
        compiled(X, ["ab", "c", "def"])
        assert sys.exc_info()[1] is outside
    assert sys.exc_info()[1] is None


def test_an_exception_of_a_handler_has_a_context() -> None:
    @rt.function
    def f(n):
        try:
            return 1 // n
        except ZeroDivisionError:
            raise KeyError(n)

    with pytest.raises(KeyError) as caught:
        f(0)
    assert isinstance(caught.value.__context__, ZeroDivisionError)
    assert [entry.name for entry in caught.traceback][-1] == "f"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the platform has no interval timers")
def test_ctrl_c_passes_a_handler() -> None:
    @rt.function
    def f(n):
        while n > 0:
            try:
                n = n + 1 // n
            except ZeroDivisionError:
                n = 0
        return n

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    assert f(-1) == -1
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            f(2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
