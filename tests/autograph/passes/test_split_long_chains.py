"""Chains that are cut mean what they meant."""

import numpy
import pytest

import runtime
from tests.autograph.programs import assert_same, converted_text
from tests.modules import module_of


def chain(first, last, body, indent="    "):
    rows = [f"{indent}{'if' if n == first else 'elif'} x == {n}: {body(n)}" for n in range(first, last)]
    return "\n".join(rows)


PROGRAMS = {
    "values": f"def f(x):\n{chain(0, 100, lambda n: f'y = {n}')}\n    else: y = -1\n    return y\n",
    "returns": f"def f(x):\n{chain(0, 100, lambda n: f'return {n}')}\n    return -1\n",
    "some return": "def f(x):\n    y = 0\n"
    + chain(0, 100, lambda n: f"return {n}" if n % 3 else f"y = {n}")
    + "\n    return y, x\n",
    "breaks": "def f(x):\n    for i in range(3):\n        x += 1\n"
    + chain(0, 100, lambda n: ("break", "continue", "pass")[n % 3], "        ")
    + "\n        x += 10\n    return i, x\n",
    "unbound": f"def f(x):\n{chain(0, 90, lambda n: f'y = {n}')}\n    return y\n",
    "nested": "def f(x):\n    y = 0\n"
    + chain(0, 50, lambda n: f"y = {n}")
    + "\n    elif x < 95:\n"
    + chain(50, 92, lambda n: f"y = -{n}", "        ")
    + "\n    elif x > 200: raise ValueError(x)\n    else: y = 'other'\n    return y\n",
    "tests that bind": "def f(x):\n"
    + "\n".join(f"    {'elif' if n else 'if'} (z := x + {n}) == 120: y = z, {n}" for n in range(100))
    + "\n    else: y = z\n    return y\n",
    "its name is taken": "def f(x):\n    decided = 7\n"
    + chain(0, 60, lambda n: f"y = {n}")
    + "\n    return decided\n",
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_same_meaning(kind):
    assert_same(PROGRAMS[kind], *[(x,) for x in (0, 1, 39, 40, 41, 59, 79, 80, 81, 91, 94, 99, 100, 300)])


def test_short_chains_are_left_alone():
    assert "decided" not in converted_text(f"def f(x):\n{chain(0, 40, lambda n: 'pass')}\n")
    assert "decided" in converted_text(f"def f(x):\n{chain(0, 41, lambda n: 'pass')}\n")


def test_functions_that_show_their_variables_are_left_alone():
    text = f"def f(x):\n{chain(0, 90, lambda n: 'pass')}\n    return locals()\n"
    assert "decided" not in converted_text(text)


def test_staged():
    f = module_of(PROGRAMS["values"])["f"]
    staged = runtime.function(f)
    for x in (0.0, 39.0, 40.0, 99.0, 7.5):
        assert staged(numpy.array(x)) == f(x)
    assert staged.trace_count == 1
