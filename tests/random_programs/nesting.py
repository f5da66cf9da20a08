"""Random programs about containers in containers: who is in them, and which names see a change.

    python -m tests.random_programs.nesting --count 1000 --seed 5000

A program has ``root``, which holds two inner containers, and two more names for some of them. Its statements
change items, put other containers in their places, and give names to them, in branches, loops and handlers.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.compounds import Compounds
from tests.random_programs.families import Family

#: what is in an inner container, and what makes one
_ITEMS = {"list": ("[0]", "[1]"), "dict": ("['a']", "['b']"), "object": (".v", ".w"), "array": ("[0]", "[1]")}
_MAKERS = {
    "list": "[{}, {}]",
    "dict": "{{'a': {}, 'b': {}}}",
    "object": "Box({}, {})",
    "array": "np.array([{}, {}])",
}
#: the same one level deeper: who is in the inner containers has two names where these have
_DEEPER_ITEMS = {
    "pair": ("[0][0]", "[0][1]"),
    "pairs": ("[0][0]", "[1][1][0]"),
    "rows": ("[0][0]", "[1][0]"),
    "dict of lists": ("['a'][0]", "['b'][0]"),
    "object of lists": (".v[0]", ".w[0]"),
}
_DEEPER_MAKERS = {
    "pair": "([{}, {}], 0)",
    "pairs": "([{}], (1, [{}]))",
    "rows": "[[{}], [{}]]",
    "dict of lists": "{{'a': [{}], 'b': [{}]}}",
    "object of lists": "Box([{}], [{}])",
}
_PLACES = {
    "list": ("root[0]", "root[1]"),
    "dict": ("root['p']", "root['q']"),
    "object": ("root.v", "root.w"),
    "tuple": ("root[0]", "root[1]"),
}
_ROOTS = {"list": "[{}, {}]", "dict": "{{'p': {}, 'q': {}}}", "object": "Box({}, {})", "tuple": "({}, {})"}

_HEAD = """\
class Box:
    def __init__(self, v, w):
        self.v = v
        self.w = w

def change(inner, value):
    inner{item} = value

def f(x, n):
    root = {root}
    one = {one}
    two = {two}
"""

_CALLS = (
    (np.array([1.0, -2.0, 3.0]), 2),
    (np.array([-1.0, 2.0, 0.5]), 3),
    (np.array([1.0, 2.0, 0.5]), 0),
)


class Maker(Compounds):
    """Makes one program; ``deeper``: what it changes is in containers in the inner containers."""

    def __init__(self, seed: int, deeper: bool = False) -> None:
        self.choices = random.Random(seed)
        self.items = _DEEPER_ITEMS if deeper else _ITEMS
        self.makers = _DEEPER_MAKERS if deeper else _MAKERS
        self.root = self.choices.choice(["list", "list", "dict", "object", "tuple"])
        self.inner = self.choices.choice(
            list(self.items) if deeper else ["list", "list", "dict", "object", "array"]
        )

    def source(self) -> str:
        lines = _HEAD.format(
            item=self._item(),
            root=_ROOTS[self.root].format(self._new(), self._new()),
            one=self.choices.choice([self._place(), self._new()]),
            two=self.choices.choice([self._place(), "one"]),
        ).splitlines()
        for _ in range(self.choices.randint(2, 5)):
            lines += self._statement(2, "    ")
        return "\n".join([*lines, "    return root, one, two", ""])

    def _item(self) -> str:
        return self.choices.choice(self.items[self.inner])

    def _new(self) -> str:
        values = [self.choices.choice(["x[0]", "x[1]", "1.0", "2.5", "x[2] * 2"]) for _ in range(2)]
        return self.makers[self.inner].format(*values)

    def _place(self) -> str:
        return self.choices.choice(_PLACES[self.root])

    def _who(self) -> str:
        return self.choices.choice([self._place(), self._place(), "one", "two"])

    def _value(self) -> str:
        return self.choices.choice(["x[0]", "x[1] + 1", "3.5", f"{self._who()}{self._item()} + 1"])

    def _test(self) -> str:
        return self.choices.choice(["x[0] > 0", "x[1] > x[2]", f"{self._who()}{self._item()} > 1.5", "n > 1"])

    def _statement(self, depth: int, indent: str) -> list[str]:
        pick = self.choices.random()
        if pick < 0.28:
            return [f"{indent}{self._who()}{self._item()} {self.choices.choice(['=', '+='])} {self._value()}"]
        if pick < 0.40 and self.root != "tuple":
            held = self.choices.choice([self._new(), self._new(), "one", self._place()])
            return [f"{indent}{self._place()} = {held}"]
        if pick < 0.52:
            held = self.choices.choice([self._place(), self._place(), self._new(), "one"])
            return [f"{indent}{self.choices.choice(['one', 'two'])} = {held}"]
        if pick < 0.56 and self.root != "tuple":
            first, second = _PLACES[self.root]
            return [f"{indent}{first}, {second} = {second}, {first}"]
        if pick < 0.60:
            return [f"{indent}change({self._who()}, {self._value()})"]
        if pick < 0.64 and self.root == "tuple":
            return [f"{indent}root = ({self.choices.choice(['one', self._new()])}, root[0])"]
        if depth == 0:
            return [f"{indent}print({self._who()}{self._item()})"]
        return self._compound(depth, indent)

    def _compound(self, depth: int, indent: str) -> list[str]:
        kind = self.choices.choice(["if", "if", "else", "else", "for", "range", "while", "try"])
        body = self._body(depth, indent)
        if kind in ("if", "else"):
            other = self._else(kind, depth, indent)
            return [f"{indent}if {self._test()}:", *body, *other]
        if kind == "for":
            return [f"{indent}for v in x:", *body]
        if kind == "range":
            return [f"{indent}for i in range(n):", *body]
        if kind == "while":
            return self._counted(indent, body, "k")
        inside = [f"{indent}    if {self._test()}:", f"{indent}        raise ValueError"]
        rest = [*self._body(depth, indent), f"{indent}except ValueError:", *self._body(depth, indent)]
        return [f"{indent}try:", *body, *inside, *rest]


NESTING = Family("nesting", lambda seed, deeper: Maker(seed, deeper).source(), lambda: _CALLS)
if __name__ == "__main__":
    NESTING.main()
