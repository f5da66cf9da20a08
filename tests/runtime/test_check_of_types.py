"""``check=``: numbers of several types on several paths agree, and the caches of functions are no state."""

import types

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError


@pytest.fixture(params=["numpy", "native"])
def checked(request):
    return lambda f: rt.function(f, engine=request.param, check="always")


def test_a_recursive_function(checked):
    @checked
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    @checked
    def visit(n, seen):
        if n < 2:
            seen.append(n)
            return n
        return visit(n - 1, seen) + visit(n - 2, seen)

    seen = []
    assert [factorial(5), factorial(6), visit(4, seen)] == [120, 720, 3]
    assert seen == [1, 0, 1, 1, 0]


def test_an_int_that_is_a_float_on_the_other_path(checked, capsys):
    @checked
    def clipped(x, state):
        y = 1
        if x < 1:
            y = x * 0.5
        state.last = y
        print(f"{y:>6}|", y)
        return [y, {"y": (y, np.array([y]))}, f"y = {y}"]

    state = types.SimpleNamespace(last=0)
    for x in (4.0, 0.5):
        assert clipped(x, state)[0] == state.last == min(1, x * 0.5)
    assert capsys.readouterr().out == "     1| 1\n  0.25| 0.25\n"


def test_an_exception_that_says_it(checked):
    @checked
    def f(x):
        y = 0
        if x > 0:
            y = x
        raise ValueError(f"y = {y}")

    with pytest.raises(ValueError, match=r"^y = 0$"):
        f(-1.0)


def test_a_wider_type_without_two_paths_is_a_difference(monkeypatch):
    import dataclasses

    import runtime.functions.functions as functions

    original = functions.trace_function
    other = lambda x: x * 2.0
    monkeypatch.setattr(
        functions,
        "trace_function",
        lambda request, *rest: original(dataclasses.replace(request, function=other), *rest),
    )

    @rt.function(check="first")
    def f(x):
        return x * 2

    with pytest.raises(rt.CheckError, match=r"is 4 in plain Python and 4\.0 compiled"):
        f(2)


def test_what_a_finally_raises_while_a_refusal_of_a_run_passes_is_said():
    @rt.function(engine="numpy")
    def f(n, a):
        try:
            return 2**n
        finally:
            if a > 0:
                raise ValueError("cleaning failed")

    with pytest.raises(StagingError) as raised:
        f(-1, 1)
    assert raised.value.__notes__ == ["While this passed, the program raised ValueError: cleaning failed"]
    with pytest.raises(StagingError) as raised:
        f(-1, 0)
    assert not hasattr(raised.value, "__notes__")
