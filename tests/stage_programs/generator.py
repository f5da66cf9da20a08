"""Random functions of two numbers, with what a stage can get wrong: objects, aliases, closures, iterators.

>>> from tests.random_programs.choices import seeded
>>> text = program(seeded(3))
>>> "def f(x, y):" in text and "return [" in text
True
"""

from __future__ import annotations

from tests.random_programs.choices import Choices

PREAMBLE = """
import contextlib

total = 0
HELD = [0, 1]

class Box:
    made = 0
    def __init__(self, v):
        self.v, self.items = v, [v, 0]
    def add(self, by):
        self.v = self.v + by
        if by > 1:
            self.items[0] = by
        return self.v

class Both:
    def __init__(self, box):
        self.box = box
    def __enter__(self):
        self.box.v += 1
        return self.box
    def __exit__(self, *_):
        self.box.items[1] += 1

def clipped(v, low=0, seen=[0]):
    if v < low:
        return low
    seen[0] = v
    return v

def bump(by):
    global total
    total = total + by

"""

SETUP = """
global total
total = 0
HELD[:] = [0, 1]
Box.made = 0
clipped.__defaults__[1][0] = 0
a, b, c = 1, x, 2
out, pair, d, o = [x, 1, 2], [0, y], {"k": 1, "l": x}, Box(1)
alias = row = out
it = iter([5, 6, 7, 8])
"""

NUMBERS = ("a", "b", "c", "x", "y")
PLACES = ("out[0]", "pair[1]", "d['k']", "o.v", "o.items[0]", "total")


class Generator:
    """Writes one function."""

    def __init__(self, choices: Choices) -> None:
        self.choices, self.loops, self.count = choices, 0, 0

    def number(self, depth: int = 0) -> str:
        pick, one, two = self.choices.pick, self.number, self.condition
        if depth > 2 or self.choices.chance(40):
            return pick((*NUMBERS, "1", "2", "0", *PLACES))
        kind = self.choices.integer(0, 9)
        if kind <= 3:
            return f"({one(depth + 1)} {pick('+-*')} {one(depth + 1)})"
        if kind == 4:
            return f"({one(depth + 1)} if {two(depth + 1)} else {one(depth + 1)})"
        if kind == 5:
            return f"{pick(('max', 'min'))}({one(depth + 1)}, {one(depth + 1)})"
        if kind == 6:
            return f"clipped({one(depth + 1)})"
        if kind == 7:
            return f"({one(depth + 1)} {pick(('and', 'or'))} {one(depth + 1)})"
        if kind == 8:
            return f"sum([v * {one(2)} for v in {pick(('out', 'pair'))}])"
        return f"abs({one(depth + 1)})"

    def condition(self, depth: int = 0) -> str:
        pick, kind = self.choices.pick, self.choices.integer(0, 11)
        if depth > 2 or kind <= 5:
            return f"{self.number(2)} {pick(('<', '>', '<=', '>=', '==', '!='))} {self.number(2)}"
        if kind <= 7:
            return f"({self.condition(depth + 1)} {pick(('and', 'or'))} {self.condition(depth + 1)})"
        if kind == 8:
            return f"not {self.condition(depth + 1)}"
        if kind == 9:
            return f"{self.number(2)} in {pick(('out', 'pair', '(0, 2)'))}"
        if kind == 10:
            return f"{pick(('any', 'all'))}([v > {self.number(2)} for v in pair])"
        return f"{self.number(2)} < {self.number(2)} < {self.number(2)}"

    def simple(self) -> list[str]:
        pick, one = self.choices.pick, self.number
        rare = self.choices.chance(5)  # mostly refused
        kind = self.choices.integer(17, 21) if rare else self.choices.integer(0, 18)
        variable = pick("abc")
        lines = (
            f"{variable} = {one()}", f"{variable} = {one()}", f"{variable} += {one()}",
            f"out[{pick('012')}] = {one()}", f"alias[{pick('01')}] += {one(2)}", f"pair[0] = {one(1)}",
            f"d[{pick(('k', 'l'))!r}] = {one(1)}", f"o.v = {one()}", f"o.items[1] = {one(1)}",
            f"o.add({one(1)})", f"bump({one(1)})", f"HELD[0] = {one(1)}", f"Box.made = {one(1)}",
            "a, b = b, a", "out[0], out[1] = out[1], out[0]", "pair.reverse()", f"b = c = {one(1)}",
            f"pair = [{one(1)}, {one(1)}]", f"row = {pick(('pair', '[1, 2]', 'out'))}; row[0] = {one(1)}",
            f"out.append({one(1)})", f"d['new'] = {one(1)}",
            f"o.extra = {one(1)}", f"c = next(it) + {one(2)}",
            f"alias = {pick(('pair', 'out', 'o.items', '[1, 2, 3]'))}",
        )  # fmt: skip
        return [lines[kind]]

    def statement(self, depth: int) -> list[str]:
        kind = self.choices.integer(0, 19) if depth < 3 else 0
        if kind <= 8:
            return self.simple()
        if kind <= 12:
            lines = [f"if {self.condition()}:", *self.block(depth)]
            if self.choices.chance(20):
                lines += [f"elif {self.condition()}:", *self.block(depth)]
            return [*lines, "else:", *self.block(depth)] if self.choices.chance(60) else lines
        return self.compound(kind, depth)

    def compound(self, kind: int, depth: int) -> list[str]:
        self.count += 1
        name, pick = f"i{self.count}", self.choices.pick
        if kind == 13:
            end = pick(("", "break", "continue", "return a"))
            leave = [f"    if {self.condition()}:", f"        {end}"] if end else []
            items = pick(("range(3)", "[1, x, 2]", "zip(out, pair)", "enumerate(pair)"))
            target = f"{name}, a" if items[0] in "ze" else name
            return [f"for {target} in {items}:", *leave, *self.block(depth)]
        if kind == 14:
            body = [*self.block(depth), f"    {name} += 1"]
            return [f"{name} = 0", f"while {name} < 3 and {self.condition(2)}:", *body]
        if kind == 15:
            body = [f"    {name} = {name} + 1", *self.block(depth)]
            return [f"{name} = x - 2", f"while {name} < y:", *body]
        if kind == 16:
            step = [f"    b = b + {name}", f"    out[0] += {self.number(2)}"]
            return [f"for {name} in range(y):", *(self.block(depth) if self.choices.chance(50) else step)]
        if kind == 17:
            inner = [f"def g{name}(v, w=c):", "    nonlocal a, b, c", *self.block(depth), "    return v + w"]
            return [*inner, f"b = g{name}({self.number(2)})"]
        if kind == 18:
            close = pick(("finally: c = c + 1", "finally: o.v += 1", "except IndexError: c = 9"))
            return ["try:", *self.block(depth), close]
        manager = pick(("Both(o)", "Both(Box(a))", "contextlib.suppress(KeyError)"))
        return [f"with {manager}:", *self.block(depth)]

    def block(self, depth: int) -> list[str]:
        lines = [line for _ in range(self.choices.pick((1, 1, 2, 3))) for line in self.statement(depth + 1)]
        if depth and self.choices.chance(8):
            lines.append(f"return {self.number(1)}")
        return ["    " + line for line in lines]


def program(choices: Choices) -> str:
    """The text of a program: a preamble, and `f`."""
    generator = Generator(choices)
    lines = [line for _ in range(choices.integer(2, 5)) for line in generator.statement(0)]
    read = ", next(it)" if choices.chance(10) else ""
    objects = "*out, *pair, *alias, *row, *d.values(), o.v, *o.items, total, *HELD, Box.made"
    ending = f"return [a, b, c, {objects}{read}]"
    body = [*SETUP.strip().splitlines(), *lines, ending]
    return PREAMBLE + "def f(x, y):\n" + "\n".join("    " + line for line in body) + "\n"
