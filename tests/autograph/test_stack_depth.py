# ruff: noqa: E501  a program is a line or two, however long
"""Recursive functions go about as deep converted as they go in Python, with a stage awake too."""

import pytest

import autograph
from tests.autograph.programs import Bystander
from tests.differential import registered
from tests.modules import module_of

ELIFS = "".join(f"    elif n == {k!r}: return {k}\n" for k in range(35))
RETURNS = "".join(f"    if n == {k!r}: return {k}\n" for k in range(35))

PROGRAMS = {
    "an_elif_chain": f"def f(n):\n    if n is None: return 0\n{ELIFS}    else: return f(n[0]) + 1",
    "many_returns": f"def f(n):\n    if n is None: return 0\n{RETURNS}    return f(n[0]) + 1",
    "work_between_returns": (
        "def f(n):\n    if n is None: return 0\n    m = len(n)\n    if m > 1: return f(n[1])\n    r = f(n[0])\n    return r + m"
    ),
    "a_chain_in_a_branch": (
        "def f(n):\n    r = 0\n    if n:\n        k = 1\n        if n == 5: r = 2\n        elif n: r = f(n[0])\n        else: k = 3\n"
        "    return r"
    ),
    "a_try": "def f(n):\n    if n is None: return 0\n    try: return f(n[0]) + 1\n    except TypeError: return -1",
    "a_loop": "def f(n):\n    r = 0\n    while n:\n        r += f(n[0]) + 1\n        n = None\n    return r",
}  # fmt: skip

FRAMES_PER_CALL = {"a_try": 4, "a_loop": 3, "a_chain_in_a_branch": 3}


def nested(depth):
    value = None
    for _ in range(depth):
        value = (value,)
    return value


def deepest(function):
    """How deep a value may be nested for the function not to run out of stack, within 20."""
    depth = 20
    while True:
        try:
            function(nested(depth))
        except RecursionError:
            return depth
        depth += 20


@pytest.mark.parametrize("name", PROGRAMS)
def test_recursion_goes_deep(name):
    text = PROGRAMS[name]
    f = module_of(text)["f"]
    with registered(Bystander()):
        assert deepest(autograph.convert(f)) * FRAMES_PER_CALL.get(name, 2) > 850


def test_the_branches_of_a_chain_are_those_of_python():
    text = (
        "def f(a, b):\n    r = []\n    if a == 0: r.append(0)\n    elif a == 1:\n        r.append(1)\n"
        "        if b == 0: r.append('b0')\n        elif b == 1:\n            r.append('b1')\n"
        "            if r: r.append('end')\n    elif a == 2:\n        for _ in r: pass\n"
        "        if b: r.append('ab')\n        r.append('after')\n    else:\n        r.append('else')\n        if b: r += r\n"
        "    return r"
    )
    plain = module_of(text)["f"]
    with registered(Bystander()):
        converted = autograph.convert(plain)
        for a in range(4):
            for b in range(3):
                assert converted(a, b) == plain(a, b)
