"""Random programs about objects, closures and globals: what keeps a state, and from call to call.

    python -m tests.random_programs.objects --count 1000 --seed 5000

A program mixes two or three parts (`object_parts.py`): their objects hold each other's numbers, and
change in branches, loops and handlers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

import numpy as np

from tests.random_programs.attribute_parts import ATTRIBUTE_PARTS
from tests.random_programs.compounds import Compounds
from tests.random_programs.families import Family
from tests.random_programs.function_parts import FUNCTION_PARTS
from tests.random_programs.object_parts import Part
from tests.random_programs.protocol_parts import PROTOCOL_PARTS
from tests.random_programs.state_parts import STATE_PARTS

PARTS = {**ATTRIBUTE_PARTS, **PROTOCOL_PARTS, **STATE_PARTS, **FUNCTION_PARTS}

_CALLS = tuple(
    (np.array([a, -2.0, b]), n) for a, b, n in ((1.0, 3.0, 2), (-1.0, 0.5, 3), (2.5, -1.0, 0), (1.0, 3.0, 2))
)


class Maker(Compounds):
    """Makes one program: of so many parts, for a function of these parameters, `x` and `n` among them."""

    def __init__(
        self,
        seed: int,
        parts: Mapping[str, Part] = PARTS,
        counts: Sequence[int] = (1, 2, 2, 3),
        parameters: str = "x, n",
        most: int = 7,
        depth: int = 2,
    ) -> None:
        self.choices = random.Random(seed)
        count = min(self.choices.choice(counts), len(parts))
        self.names = self.choices.sample(sorted(parts), count)
        self.parts = [parts[name] for name in self.names]
        self.parameters, self.most, self.depth = parameters, most, depth
        self.loops = 0

    def source(self) -> str:
        lines = [part.head for part in self.parts] + [
            "",
            f"def f({self.parameters}):",
            "    a, b, k = x[0], np.float64(0.5), n",
        ]
        for part in self.parts:
            for text in part.opening:
                lines += ["    " + line for line in self._filled(text, part, plain=True).splitlines()]
        for _ in range(self.choices.randint(3, self.most)):
            lines += self._statement(self.depth, "    ")
        shown = [one for part in self.parts for one in part.shown]
        return "\n".join([*lines, f"    return a, b, k, {', '.join(shown)}", ""])

    def _filled(self, text: str, part: Part, depth: int = 1, plain: bool = False) -> str:
        """The text with something in place of each `$v`; ``plain`` where no part's names exist yet."""

        def fill(found: re.Match[str]) -> str:
            return {
                "$v": lambda: self._number(0 if plain else depth),
                "$t": lambda: self._test(0 if plain else depth),
                "$i": lambda: self.choices.choice(["0", "1", "2", "n", "k % 3", "n + 1"]),
                "$o": lambda: self._filled(self.choices.choice(part.names), part, 0),
            }[found[0]]()

        return re.sub(r"\$[vtio]", fill, text)

    def _number(self, depth: int) -> str:
        if depth and self.choices.random() < 0.4:
            part = self.choices.choice(self.parts)
            return self._filled(self.choices.choice(part.values), part, depth - 1)
        numbers = ["a", "b", "x[0]", "x[1]", "x[2]", "x[n % 3]", "x[0] * 2"]
        return self.choices.choice([*numbers, "np.float64(1.5)", "np.float64(-0.5)", "np.float64(n)"])

    def _test(self, depth: int) -> str:
        if depth and self.choices.random() < 0.5:
            part = self.choices.choice(self.parts)
            return self._filled(self.choices.choice(part.tests), part, depth - 1)
        return self.choices.choice(
            ["x[0] > 0", "x[2] > 1", "x[n % 3] > a", "a > b", "n > 1", "x[0] > 0 and b < 1"]
        )

    def _statement(self, depth: int, indent: str) -> list[str]:
        pick = self.choices.random()
        if pick < 0.08:
            name = self.choices.choice("ab")
            return [f"{indent}{name} {self.choices.choice(['=', '+=', '-='])} {self._number(1)}"]
        if pick < 0.14:
            return [f"{indent}print(float({self._number(1)}))"]
        if depth == 0 or pick < 0.65:
            part = self.choices.choice(self.parts)
            text = self._filled(self.choices.choice(part.statements), part)
            return [indent + line for line in text.splitlines()]
        return self._compound(depth, indent)

    def _compound(self, depth: int, indent: str) -> list[str]:
        loops = ["values", "range", "while"] if self.loops < 2 else []
        kind = self.choices.choice(["if", "else", "else", "try", "return", *loops])
        if kind in loops:
            self.loops += 1
        test, body = self._test(1), self._body(depth, indent)
        if kind in ("if", "else"):
            other = self._else(kind, depth, indent)
            return [f"{indent}if {test}:", *body, *other]
        if kind == "return":
            return [f"{indent}if {test}:", *body, f"{indent}    return a, {self._number(1)}"]
        if kind == "values":
            return [f"{indent}for v in x:", f"{indent}    b = v", *body]
        if kind == "range":
            return [f"{indent}for k in range(n):", *body]
        if kind == "while":
            whole = f"({test})" if " or " in test or " if " in test else test  # else it may never end
            return self._counted(indent, body, "c", f" and {whole}")
        raised = [f"{indent}    if {test}:", f"{indent}        raise KeyError('left')"]
        caught = self.choices.choice(["KeyError", "(KeyError, ValueError)", "Exception"])
        rest = [f"{indent}except {caught} as error:", f"{indent}    print(type(error).__name__, error)"]
        return [
            f"{indent}try:",
            *body,
            *raised,
            *self._body(depth, indent),
            *rest,
            *self._body(depth, indent),
        ]


OBJECTS = Family("objects", lambda seed, deeper: Maker(seed).source(), lambda: _CALLS)
if __name__ == "__main__":
    OBJECTS.main()
