"""Instances of subclasses of str, int, float and complex beside staged values: texts and operators."""

import enum

import numpy as np
import pytest

from tests.differential import check
from tests.modules import module_of


class Cs(str):
    pass


class Added(str):
    def __radd__(self, other):
        return "radd", other

    def __eq__(self, other):
        return "eq"

    def __gt__(self, other):
        return "gt"

    __hash__ = str.__hash__


class Told(str):
    def __str__(self):
        return "told"


class Tagged(str):
    def __new__(cls, text, tag):
        self = super().__new__(cls, text + "!")
        self.tag = tag
        return self


class MyInt(int):
    pass


class Unit(int):
    def __new__(cls, number, unit):
        self = int.__new__(cls, number)
        self.unit = unit
        return self

    def __repr__(self):
        return f"{int(self)}{self.unit}"


class Odd(int):
    def __int__(self):
        return 77


class MyFloat(float):
    pass


class Read(float):
    def __float__(self):
        return 99.0


class MyComplex(complex):
    pass


class MyList(list):
    pass


class Kind(str, enum.Enum):
    A = "a"


NAMES = {
    one.__name__: one
    for one in (Cs, Added, Told, Tagged, MyInt, Unit, Odd, MyFloat, Read, MyComplex, MyList, Kind)
} | {"np": np}
RIGHT = """
Cs("a") + str(n); str(n) + Cs("a"); str(n) == Cs("3"), Cs("3") != str(n), Cs("a") < str(n); Kind.A + str(n)
str(n) + Kind.A; str(n) + Added("a"); str(n) == Added("a"); str(n) < Added("a"); str(n) + Told("a")
str(MyInt(5)), f"{MyInt(5):>4}", repr(MyFloat(2)), str(MyComplex(1j)); f"{Told('a')} {n}", str(Told("a"))
Tagged("q", n).tag, Tagged("q", n) + str(n), f"{Tagged('q', n)}"; repr(Unit(n, "kg")), f"{Unit(3, 'm')}"
MyComplex(1j) * x[0]; MyFloat(5) + x[0]; x[0] - MyFloat(5); MyFloat(2) * v; MyInt(5) * x; Odd(5) + n
round(v, MyInt(1)); max(n, MyInt(3)), min(MyInt(2), n); print(MyInt(5), Told("a"), Unit(3, "kg"), n)
"""
REFUSED = """
x * Odd(5); x * Read(2.5); np.add(x[0], Odd(1)); np.array([v, Read(1)]); str(MyList([n])); print(MyList([1]))
"""


def of(expression: str):
    source = f"def asked(n, v, x):\n    return {expression.strip()}\n"
    return module_of(source, **NAMES)["asked"]


CALLS = [(3, 2.5, np.array([1.0, 2.0])), (1, -2.0, np.array([0.5, 4.0]))]


@pytest.mark.parametrize("expression", RIGHT.strip().replace("\n", ";").split(";"))
def test_right(expression: str) -> None:
    assert check(of(expression), *CALLS)


@pytest.mark.parametrize("expression", REFUSED.strip().replace("\n", ";").split(";"))
def test_what_numpy_or_a_run_would_ask_of_the_class_is_refused(expression: str) -> None:
    assert not check(of(expression), *CALLS, may_refuse=True)


def test_in_loops_and_branches():
    def text(n, t):
        made = Cs("")
        for i in range(n):
            made = made + str(i) + Cs("z")
            print(MyInt(i), Unit(3, "k"))
        if n > 2:
            made += Cs("p") + t
        return made

    assert check(text, (3, "a"), (1, "b"))
