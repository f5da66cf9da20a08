"""Random programs about objects that lie in lists and in each other, under several names.

    python -m tests.random_programs.aliases --count 1000 --seed 5000

Only a run knows how many there are, and which of them the names stand for: what a store changes can be seen
through another name. With AUTOGRAPH_VERIFY=loads each run looks up what the trace took for known.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.compounds import Compounds
from tests.random_programs.families import Family

_HEAD = """\
class Node:
    def __init__(self, v, n):
        self.v = v
        self.n = n
        self.next = None

    def grow(self, v):
        self.v = self.v * 0.5 + v
        self.n += 1
        return self.next

    def both(self, other):
        self.v = {stored}
        other.v = {stored}
        return self.v

def deep(one, k):
    if k <= 0:
        return one.v
    one.v = one.v + k
    return deep(one.next, k - 1) + one.v

def steps(one, k):
    for _ in range(k):
        one.n += 1
        yield one.next
        one.v = one.v + 1

def f(x, n):
    made = []
    for v in x:
        if v != 0:
            made.append(Node(v, 1))
    for k in range(len(made)):
        made[k].next = made[k - 1]
    a, b, c = made[0], made[n % len(made)], Node(0.5, 2)
    c.next = b
    total = 0.0
    k = n
"""

_CALLS = (
    (np.array([1.0, -2.0, 3.0]), 2),
    (np.array([-1.0, 2.0, 0.5]), 3),
    (np.array([1.0, 0.0, 0.5]), 0),
)


class Maker(Compounds):
    """Makes one program."""

    def __init__(self, seed: int) -> None:
        self.choices = random.Random(seed)
        self.loops = 0

    def source(self) -> str:
        lines = _HEAD.format(stored=self._pick("2.0", "self.v + 1", "other.v * 2")).splitlines()
        for _ in range(self.choices.randint(4, 8)):
            lines += self._statement(2, "    ")
        shown = "a.v, b.v, c.v, a.n, b.n, c.n, a is b, a.next is b, b.next is c"
        return "\n".join([*lines, f"    return total, k, {shown}, [(one.v, one.n) for one in made]", ""])

    def _pick(self, *options: str) -> str:
        return self.choices.choice(options)

    def _node(self, depth: int = 1) -> str:
        if depth and self.choices.random() < 0.35:
            return f"{self._node(depth - 1)}.next"
        return self._pick("a", "b", "c", "a", "b", "c", "made[0]", "made[-1]", "made[k % len(made)]")

    def _number(self) -> str:
        return self._pick("1.0", "2.5", "x[0]", "x[n % 3]", f"{self._node()}.v", f"{self._node()}.v * 0.5")

    def _test(self, depth: int) -> str:
        return self._pick(
            "x[0] > 0", "n > 1", f"{self._node()}.v > 1", f"{self._node()}.n > 2", f"{self._node()} is b"
        )

    def _simple(self) -> list[str]:
        one, other, name = self._node(), self._node(), self._pick("a", "b", "c")
        return self._pick(
            f"{one}.v = {self._number()}",
            f"{one}.v = {self._number()}\n{other}.v = {self._number()}\ntotal += {one}.v",
            f"{one}.v += {self._number()}",
            f"{one}.n = {self._pick('3', 'k', f'{other}.n + 1')}",
            f"total = total * 0.5 + {one}.v + {other}.n",
            f"{one}.next = {other}",
            f"{name} = {one}",
            f"{name} = {one} if {self._test(0)} else {other}",
            f"{name} = Node({self._number()}, {self._pick('1', 'k')})\n{name}.next = {other}",
            f"{name} = {one}.grow({self._number()})",
            f"total += {one}.both({other}) + {one}.v",
            f"made.append({one})",
            f"made[{self._pick('0', '-1')}] = {one}",
            f"total += deep({one}, {self._pick('1', 'n')}) + {other}.v",
            f"for one in steps({one}, {self._pick('2', 'n')}):\n    total += one.v + {other}.v",
            "made[0], made[-1] = made[-1], made[0]",
            "a, b = b, a",
            f"total += sum([one.v for one in made]) + {one}.v",
            f"print(float({one}.v), {other}.n)",
        ).splitlines()

    def _statement(self, depth: int, indent: str) -> list[str]:
        if depth == 0 or self.choices.random() < 0.6:
            return [indent + line for line in self._simple()]
        loops = ["values", "range", "while", "objects"] if self.loops < 2 else []
        kind = self.choices.choice(["if", "else", "else", "try", "return", *loops])
        self.loops += kind in loops
        test, body = self._test(1), self._body(depth, indent)
        if kind in ("if", "else"):
            return [f"{indent}if {test}:", *body, *self._else(kind, depth, indent)]
        if kind == "return":
            return [f"{indent}if {test}:", *body, f"{indent}    return total, a.v, {self._node()}.n"]
        if kind == "values":
            return [f"{indent}for v in x:", f"{indent}    total += v", *body]
        if kind == "objects":
            return [f"{indent}for c in list(made):", *body]
        if kind == "range":
            return [f"{indent}for k in range(n):", *body]
        if kind == "while":
            return self._counted(indent, body, "turns", f" and {test}")
        raised = [f"{indent}    if {test}:", f"{indent}        raise KeyError('left')"]
        raised = self.choices.choice([raised, [f"{indent}    k = 6 // (k - 1)"]])
        return [
            f"{indent}try:",
            *body,
            *raised,
            *self._body(depth, indent),
            f"{indent}except (KeyError, ZeroDivisionError) as error:",
            *self._body(depth, indent),
        ]


ALIASES = Family("aliases", lambda seed, deeper: Maker(seed).source(), lambda: _CALLS)
if __name__ == "__main__":
    ALIASES.main()
