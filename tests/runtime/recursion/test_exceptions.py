"""Recursion that raises, catches, prints, or never ends."""

import sys
import threading
import traceback

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

I = np.int64


def prints(n):
    print("in", n)
    if n > 0:
        result = prints(n - 1)
        print("out", n, result)
        return result + 1
    return 0


def below(n):
    if n < 0:
        return 0
    return below(n + 1) + 1


def endless(n):
    return endless(n)


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("function", [below, endless])
def test_endless_recursion_is_a_recursion_error(function, engine):
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded") as caught:
        rt.function(function, engine=engine)(I(1))
    lines = {entry.line for entry in traceback.extract_tb(caught.value.__traceback__)}
    assert any("(n + 1) + 1" in line or "endless(n)" in line for line in lines)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_recursion_error_is_caught(engine):
    def program(n):
        try:
            return below(n)
        except RecursionError:
            return -1

    compiled = rt.function(program, engine=engine)
    assert [compiled(I(n)) for n in (1, -1)] == [-1, 0]


def depth(n):
    return 0 if n == 0 else depth(n - 1) + 1


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_recursion_goes_as_deep_as_in_python(engine):
    compiled = rt.function(depth, engine=engine)
    assert compiled(900) == 900
    with pytest.raises(RecursionError):
        compiled(sys.getrecursionlimit() + 1)
    assert compiled(3) == 3


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_the_recursion_limit_is_the_users(engine):
    limit = sys.getrecursionlimit()
    compiled = rt.function(depth, engine=engine)
    compiled(1)
    sys.setrecursionlimit(5000)
    try:
        assert compiled(4000) == 4000
        assert sys.getrecursionlimit() == 5000
    finally:
        sys.setrecursionlimit(limit)


def test_machine_code_stops_before_the_end_of_the_stack():
    limit = sys.getrecursionlimit()
    compiled = rt.function(below, engine="native")
    compiled(-1)
    sys.setrecursionlimit(10**8)
    try:
        with pytest.raises(RecursionError):
            compiled(1)
    finally:
        sys.setrecursionlimit(limit)


def test_threads_leave_the_recursion_limit_alone():
    limit = sys.getrecursionlimit()
    compiled = rt.function(depth, engine="numpy")
    compiled(1)
    found = []
    threads = [threading.Thread(target=lambda: found.append(compiled(300))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [300] * 8
    assert sys.getrecursionlimit() == limit


def test_a_bare_raise_is_refused():
    def rises_again(n):
        if n <= 0:
            raise
        rises_again(n - 1)

    def program(n):
        try:
            raise KeyError("k")
        except KeyError:
            rises_again(n)

    with pytest.raises(StagingError, match="a bare `raise` in a recursive function"):
        rt.function(program)(I(2))


def test_a_thread_with_a_small_stack_ends_with_a_recursion_error():
    def down(x, n):
        return x if n == 0 else down(x + 1.0, n - 1) + 1.0

    found = []

    def work():
        found.append(f(1.0, 20))
        with pytest.raises(RecursionError):
            f(1.0, sys.getrecursionlimit() - 50)
        found.append(f(2.0, 20))

    f = rt.function(down, engine="native")
    assert f(1.0, 900) == down(1.0, 900)
    before = threading.stack_size(1 << 16)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert found == [down(1.0, 20), down(2.0, 20)]
