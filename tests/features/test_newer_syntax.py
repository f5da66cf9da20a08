"""Syntax that only newer Pythons have converts on every Python that has it."""

import sys

import numpy as np
import pytest

from tests.differential import ENGINES, check_maker
from tests.random_programs.program import Program

GROUPS = """
def f(x):
    try:
        if x[0] < 0:
            raise ExceptionGroup("several", [ValueError("a"), KeyError("b")])
        y = x * 2
    except* ValueError as group:
        y = x * len(group.exceptions)
    except* KeyError:
        y = y + 1
    return y
"""
TYPE_PARAMETERS = """
def pick[T](a: T, b: T, first: bool) -> T:
    if first:
        return a
    return b

def f[T](x: T) -> T:
    type Row = list[T]
    return pick(x, -x, x[0] > 0)
"""
GENERIC_CLASS = """
class Box[T]:
    def __init__(self, value: T) -> None:
        self.value = value

    def signed(self) -> T:
        if self.value[0] > 0:
            return self.value
        return -self.value

def f(x):
    return Box(x).signed() + Box[float](x * 2).signed()
"""
NESTED_QUOTES = """
def f(x):
    names = {"a": 1}
    if x[0] > 0:
        print(f"{"yes" if names["a"] else "no"} {f"{x[0]:.{names["a"]}f}"}")
    return x
"""
PROGRAMS = {"exception groups": (GROUPS, (3, 11)), "type parameters": (TYPE_PARAMETERS, (3, 12))}
PROGRAMS |= {"generic class": (GENERIC_CLASS, (3, 12)), "nested quotes": (NESTED_QUOTES, (3, 12))}
#: an `except*` around what is raised at run time
REFUSED = {"exception groups"}
AVAILABLE = [name for name, (_, version) in PROGRAMS.items() if sys.version_info >= version]


def run(name: str, engine: str, may_refuse: bool = False) -> bool:
    program = Program("import numpy as np\n" + PROGRAMS[name][0], ())
    calls = [(np.array([3.0, -1.0]),), (np.array([-2.0, 7.0]),)]
    return check_maker(
        lambda decorate: decorate(program.load()), *calls, engines=[engine], may_refuse=may_refuse
    )


@pytest.mark.parametrize("name", AVAILABLE)
def test_converted(name: str) -> None:
    assert run(name, "convert")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", AVAILABLE)
def test_decorated_means_the_same_or_is_refused(name: str, engine: str) -> None:
    assert run(name, engine, may_refuse=name in REFUSED) == (name not in REFUSED)
