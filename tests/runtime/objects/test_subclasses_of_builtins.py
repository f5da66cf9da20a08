"""Subclasses of int, float, list, dict, tuple and str: their own methods meet staged values; none is made."""

import collections

import numpy as np
import pytest

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


class Plain(str):
    def __str__(self):
        return "told"


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
    "row": Row([1, 2, 3]), "table": Table({0: 1, 1: 2, 2: 3}), "text": Text("abc"),
    "name": Plain("a"), "steps": Steps(3), "metres": Metres(2.5),
    "vector": Vector((np.array([1.0, 2.0]), 3.0)),
}  # fmt: skip
EXPRESSIONS = """
row[n]; row[n / 2]; table[n]; text[n]; n + steps; n == steps; n < steps; n - steps; n * metres
n < metres; n / 2 * metres; x * steps; x[0] + steps; vector.total() * n; (vector + (x[:2], n)).total()
str(n) + name; name < str(n); f"{name} {n}"
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.replace("\n", ";").strip(";").split(";"))
def test_their_own_methods_answer(expression: str) -> None:
    source = f"def asked(n, x):\n    if n > 100:\n        n = 1\n    return {expression.strip()}\n"
    asked = module_of(source, **NAMES)["asked"]
    x = np.array([3.0, 1.5, -2.0])
    assert check(asked, (2, x), (1, x), (0, x))


def test_a_tuple_that_says_itself_what_its_items_are_is_refused():
    held = Fixed((2.0, 3.0))

    def first(x):
        return held[0] * x

    with pytest.raises(StagingError, match="`held` is a Fixed, a tuple with methods of its own"):
        rt.function(first)(2.0)


class Stack(list):
    def push(self, item):
        self.append(item)
        return self


class Lists(collections.defaultdict):
    def __init__(self):
        super().__init__(list)


class Name(str):
    def __new__(cls, text, tag):
        made = super().__new__(cls, text)
        made.tag = tag
        return made


class Kept(set):
    def add(self, item):
        set.add(self, item)


MADE = [Stack, lambda: Table(a=1), Lists, Kept, lambda: Name("a", 1), lambda: Metres(2.0)]


@pytest.mark.parametrize("make", MADE)
def test_one_that_is_made_inside_is_refused(make):
    def f(n):
        return len(str(make())) + n

    with pytest.raises(StagingError, match="is made here, whose class derives from"):
        rt.function(f)(np.int64(1))


def test_the_hint_is_followed():
    class Tall:
        def __init__(self, items):
            self.items = items

        def push(self, item):
            self.items.append(item)
            return self

    def f(n):
        stack = Tall([0]).push(n)
        if n > 0:
            stack.push(2 * n)
        return stack.items

    assert check(f, (np.int64(1),), (np.int64(0),))


def test_a_change_of_one_from_outside_is_refused():
    def push(n, stack):
        stack.push(n)

    def add(n, kept):
        kept.add(4)

    with pytest.raises(StagingError, match="a Stack is changed by `append`, which is not staged here"):
        rt.function(push)(np.int64(1), Stack())
    with pytest.raises(StagingError):
        rt.function(add)(np.int64(1), Kept([1]))


class Ordered(collections.OrderedDict):
    pass


class Ring(collections.deque):
    pass


@pytest.mark.parametrize(
    ("f", "called"),
    [
        (lambda n, one=None: Ordered(a=n, b=2), "OrderedDict may call methods of Ordered"),
        (lambda n, one=Ordered(a=1): one.copy(), "OrderedDict may call methods of Ordered"),
        (lambda n, one=Ring([1]): one.copy(), "deque may call methods of Ring"),
    ],
)
def test_classes_derived_from_those_of_collections_are_refused(f, called):
    with pytest.raises(StagingError, match=called) as error:
        rt.function(f)(np.int64(1))
    assert "let an object of the class hold a" in error.value.hint
