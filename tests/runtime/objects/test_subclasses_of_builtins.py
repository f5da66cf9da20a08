"""Subclasses of int, float, list, dict, tuple and str, whose own methods staged values meet."""

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.modules import module_of


class Row(list):
    def __getitem__(self, i):
        return -list.__getitem__(self, int(i))


class Table(dict):
    def __getitem__(self, i):
        return -dict.__getitem__(self, i)


class Fixed(tuple):
    def __getitem__(self, i):
        return -tuple.__getitem__(self, int(i))


class Text(str):
    def __getitem__(self, i):
        return "<" + str.__getitem__(self, int(i)) + ">"


class Steps(int):
    def __radd__(self, other):
        return other + 200 if other > 1 else -other

    def __eq__(self, other):
        return other == 2

    def __gt__(self, other):
        return other + 300

    __hash__ = int.__hash__


class Metres(float):
    def __rmul__(self, other):
        return other + 200

    def __gt__(self, other):
        return other + 300


class Vector(tuple):
    def total(self):
        return self[0] + self[1]

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self, other, strict=True))


NAMES = {
    "row": Row([1, 2, 3]), "table": Table({0: 1, 1: 2, 2: 3}), "fixed": Fixed((1, 2, 3)), "text": Text("abc"),
    "steps": Steps(3), "metres": Metres(2.5), "vector": Vector((np.array([1.0, 2.0]), 3.0)),
}  # fmt: skip
EXPRESSIONS = """
row[n]; row[n / 2]; table[n]; fixed[n / 2]; text[n]; n + steps; n == steps; n < steps; n - steps; n * metres
n < metres; n / 2 * metres; x * steps; x[0] + steps; vector.total() * n; (vector + (x[:2], n)).total()
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.replace("\n", ";").strip(";").split(";"))
def test_their_own_methods_answer(expression: str) -> None:
    source = f"def asked(n, x):\n    if n > 100:\n        n = 1\n    return {expression.strip()}\n"
    asked = module_of(source, **NAMES)["asked"]
    x = np.array([3.0, 1.5, -2.0])
    assert check(asked, (2, x), (1, x), (0, x))


def test_a_tuple_that_says_itself_what_its_items_are_may_hold_no_arrays():
    held = Fixed((np.ones(2), 3.0))

    def first(x):
        return held[0] * x

    with pytest.raises(autograph.StagingError, match="`held` is a Fixed, a tuple with methods of its own"):
        rt.function(first)(2.0)


kept_rows = None


def test_what_a_global_statement_stores_is_refused_in_the_users_function():
    def f(x):
        global kept_rows
        if x[0] > 0:
            kept_rows = Row([x[0]])
        return 1

    with pytest.raises(StagingError, match="a Row that is made inside is stored, and holds more") as at:
        rt.function(f)(np.ones(2))
    first = f.__code__.co_firstlineno
    assert at.value.file == __file__ and first <= at.value.line <= first + 4
    assert kept_rows is None
