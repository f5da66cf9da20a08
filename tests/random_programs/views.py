"""Random programs about arrays that share memory: views, names of views, and writes through any of them.

    python -m tests.random_programs.views --count 1000 --seed 5000

A program has two arrays of its caller and one of its own, and names for parts of them, perhaps in a
container. Its statements write through these names, and give them other parts, in branches, loops and
handlers.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.compounds import Compounds
from tests.random_programs.families import Family

_HEAD = """\
class Box:
    def __init__(self, v, w):
        self.v = v
        self.w = w

def change(part, value):
    part[0] = value

def f(x, y, n):
    own = np.{own}
    p = {p}
    q = {q}
    held = {held}
"""

_CALLS = tuple(
    (np.array([[a, -2.0, 3.0], [0.5, b, -1.0]]), np.array([b, 2.0, 0.25]), n)
    for a, b, n in ((1.0, -1.0, 2), (-1.0, 2.0, 3), (1.0, 0.5, 0))
)


class Maker(Compounds):
    """Makes one program. The names ``p`` and ``q`` are of vectors, as are the parts that ``held`` has."""

    def __init__(self, seed: int) -> None:
        self.choices = random.Random(seed)
        self.held = self.choices.choice(["list", "dict", "object", "tuple"])

    def source(self) -> str:
        make = {
            "list": "[{}, {}]",
            "dict": "{{'v': {}, 'w': {}}}",
            "object": "Box({}, {})",
            "tuple": "({}, {})",
        }
        lines = _HEAD.format(
            own=self.choices.choice(["zeros(3)", "ones(3)", "arange(3.0)"]),
            p=self._part(names=False),
            q=self._part(names=False),
            held=make[self.held].format(self._part(), self._part()),
        ).splitlines()
        for _ in range(self.choices.randint(2, 5)):
            lines += self._statement(2, "    ")
        return "\n".join([*lines, "    return own, p, q, held", ""])

    def _place(self) -> str:
        places = {
            "list": ("[0]", "[1]"),
            "dict": ("['v']", "['w']"),
            "object": (".v", ".w"),
            "tuple": ("[0]", "[1]"),
        }
        return f"held{self.choices.choice(places[self.held])}"

    def _part(self, names: bool = True) -> str:
        """An array of at least two elements, perhaps a view."""
        parts = [
            "x[0]",
            "x[1]",
            "x[:, 0]",
            "x[:, 1]",
            "y",
            "y[1:]",
            "y[::-1]",
            "own",
            "own[:2]",
            "x[0, 1:]",
            "x.T[1]",
        ]
        parts += [
            "y.copy()",
            "x[1] * 2",
            "np.array([1.0, 2.0])",
            "x.reshape(-1)",
            "x.ravel()[1:]",
            "x[n % 2]",
        ]
        if names:
            parts += ["p", "q", "p[:2]", "q[::-1]"]
        return self.choices.choice(parts)

    def _who(self) -> str:
        return self.choices.choice(["p", "q", "p", "q", "y", "own", self._place()])

    def _value(self) -> str:
        who = self._who()
        return self.choices.choice(["3.5", "y[0] + 1", f"{who}[0] * 2", f"{who}[1]", "x[0, 0]", "float(n)"])

    def _test(self) -> str:
        return self.choices.choice(["x[0, 0] > 0", "y[0] > y[1]", f"{self._who()}[0] > 0.5", "n > 1"])

    def _statement(self, depth: int, indent: str) -> list[str]:
        pick = self.choices.random()
        if pick < 0.22:
            return [
                f"{indent}{self._who()}[{self.choices.choice(['0', '1', '-1', 'n % 2'])}] = {self._value()}"
            ]
        if pick < 0.32:
            operator = self.choices.choice(["+=", "*=", "-="])
            index = self.choices.choice(["0", ":", "1:", "::2"])
            return [f"{indent}{self._who()}[{index}] {operator} {self._value()}"]
        if pick < 0.38:
            return [f"{indent}{self.choices.choice(['p', 'q'])} {self.choices.choice(['+=', '*='])} 2.0"]
        if pick < 0.42:
            index = self.choices.choice(["0", "1", ":, 0", "0, 1", "n % 2", "x > 1"])
            return [f"{indent}x[{index}] = {self._value()}"]
        if pick < 0.52:
            return [f"{indent}{self.choices.choice(['p', 'q'])} = {self._part()}"]
        if pick < 0.58 and self.held != "tuple":
            return [f"{indent}{self._place()} = {self._part()}"]
        if pick < 0.61:
            return [f"{indent}change({self._who()}, {self._value()})"]
        if pick < 0.63:
            return [f"{indent}p, q = q, p"]
        if depth == 0:
            return [f"{indent}print({self._who()}[0])"]
        return self._compound(depth, indent)

    def _compound(self, depth: int, indent: str) -> list[str]:
        kind = self.choices.choice(["if", "if", "else", "else", "for", "rows", "range", "while", "try"])
        body = self._body(depth, indent)
        if kind in ("if", "else"):
            other = self._else(kind, depth, indent)
            return [f"{indent}if {self._test()}:", *body, *other]
        if kind == "for":
            return [f"{indent}for v in y:", *body]
        if kind == "rows":
            return [f"{indent}for row in x:", f"{indent}    row[0] = {self._value()}", *body]
        if kind == "range":
            return [f"{indent}for i in range(n):", *body]
        if kind == "while":
            return self._counted(indent, body, "k")
        inside = [f"{indent}    if {self._test()}:", f"{indent}        raise ValueError"]
        rest = [*self._body(depth, indent), f"{indent}except ValueError:", *self._body(depth, indent)]
        return [f"{indent}try:", *body, *inside, *rest]


VIEWS = Family("views", lambda seed, deeper: Maker(seed).source(), lambda: _CALLS)
if __name__ == "__main__":
    VIEWS.main()
