"""Long programs are compiled in parts: their loops apart from what is straight (`parts.py`)."""

from __future__ import annotations

import re
from importlib import import_module

import numpy as np
import pytest

import runtime as rt
from runtime.engines.native import loops
from tests.differential import Call, check

X, Y = np.array([1.5, -2.0, 3.0]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.fixture(autouse=True, params=["loops", "what holds loops"])
def all_in_parts(monkeypatch, request):
    """Each program is long, and with some tests each loop around others, too."""
    monkeypatch.setattr(loops, "MOST_IN_ONE_PART", -1)
    if request.param == "what holds loops":
        parts = import_module("runtime.engines.native.parts")
        monkeypatch.setattr(parts, "MOST_AROUND_LOOPS", 0)
        monkeypatch.setattr(parts, "MOST_FOR_EACH", 10**6)


def nests(x, y):
    total = (x * 2.0 + y).sum()
    return total, np.sin(y[:, ::-1]) * total, y.max(axis=0), (y.T - 3.0).argmax()


def products(x, y):
    return y @ x, x @ x, y @ y.T, np.concatenate([x, x * 2.0])


def loop_of_nests(x, y):
    found = x
    for k in range(5):
        found = found * 0.5 + y[k % 2]
        if found.sum() > 12.0:
            found = found - 1.0
    return found


def loops_of_loops_of_nests(x, y):
    found, told = x, []
    for k in range(3):
        for j in range(2):
            for i in range(2):
                found = found * 0.5 + y[j] - i
                if found.sum() > 12.0:
                    break
            told.append(found.max())
        if k and found[k + 1] < told[0]:
            raise ValueError(told)
    return found, told


def fails_in_a_loop(x, y):
    total = 0
    for k in range(10):
        total += 6 // (3 - k)
    return total


def fails_in_a_try(x, y):
    log = []
    for k in range(5):
        try:
            log.append(x[k] + x.sum())
        except IndexError:
            log.append(y[1, k - 3])
    return log


def other_lengths(x, y):
    return (y + x[: x.shape[0] - 1]).sum()


def recursive(x, y):
    def power(n):
        return x if n == 0 else power(n - 1) * x

    return power(int(y.sum()) // 7)


def words(x, y):
    names = {"a": 1, "b": 2}
    found = []
    for word in ["a", "c", "b"]:
        found.append(f"{word}{names.get(word, 0)}")
    return sorted(found, reverse=True), "c" in names, sum(names.values())


PROGRAMS = [
    nests,
    products,
    loop_of_nests,
    loops_of_loops_of_nests,
    fails_in_a_loop,
    fails_in_a_try,
    other_lengths,
    recursive,
    words,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_means_the_same(program):
    check(program, Call(X, Y), Call(X[::-1], Y[:, ::-1]), engines=["native"])


def test_gradient():
    def loss(x, y):
        for row in range(2):
            x = np.tanh(x * y[row]) + x
        return (x * x).sum()

    whole, step = rt.grad(loss)(X, Y), 1e-6
    for k in range(3):
        moved = step * np.eye(3)[k]
        assert whole[k] == pytest.approx((loss(X + moved, Y) - loss(X - moved, Y)) / (2 * step), rel=1e-6)


def test_loops_with_the_same_text_are_one_function():
    @rt.function
    def f(x, y):
        return y @ (y @ (y @ (y @ x)))

    text = f.get_concrete_function(X, np.eye(3)).compiled.executable.llvm
    assert len(re.findall(r"^define .*@part\.", text, re.MULTILINE)) == 2  # x may be strided
    assert len(re.findall(r"call .*@part\.", text)) == 4


def test_short_programs_are_whole(monkeypatch):
    monkeypatch.undo()
    text = rt.function(nests).get_concrete_function(X, Y).compiled.executable.llvm
    assert "@part." not in text
