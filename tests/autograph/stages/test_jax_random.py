"""Random programs over integers give under `jit` and `vmap` what they give as plain Python.

Integers are exact, and kept small, so that there is nothing to tolerate. A failing seed prints its program.
"""

import random

import jax
import numpy as np
import pytest

import autograph
import autograph.stages.jax
from tests.modules import module_of

#: 0 and 3 write long programs, which XLA compiles for seconds
SEEDS = [1, 2, 4, 5, *[pytest.param(seed, marks=pytest.mark.long) for seed in (0, 3)]]
ARGUMENTS = [(0, 5), (3, -2), (-7, 4), (11, 11), (6, 1)]


class Writer:
    """Writes one program; what it writes is deterministic for its seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0

    def program(self):
        self.lines = ["def program(x, y):", "    a, b, n, o, kept = x, y, 1, None, [1, x, 3]"]
        self.block("    ", 0, False, 5)
        self.lines.append("    return a, b, n, -1 if o is None else o, kept")
        return "\n".join(self.lines) + "\n"

    def number(self):
        pick = self.random.choice
        simple = ["a", "b", "n", "x", "y", "kept[1]", str(self.random.randint(-3, 9))]
        forms = [
            lambda: f"{pick(simple)} {pick('+-*')} {pick(simple)}",
            lambda: f"({pick(simple)} // {self.random.randint(2, 5)})",
            lambda: f"({pick(simple)} if {self.test()} else {pick(simple)})",
            lambda: f"max({pick(simple)}, {pick(simple)})",
            lambda: f"abs({pick(simple)})",
        ]
        return f"({pick(forms)()}) % 23 - 8"

    def test(self, depth=0):
        pick = self.random.choice
        if depth < 2 and self.random.random() < 0.35:
            joined = f"{self.test(depth + 1)} {pick(['and', 'or'])} {self.test(depth + 1)}"
            return f"not ({joined})" if self.random.random() < 0.3 else f"({joined})"
        left, right = pick(["a", "b", "n", "x", "kept[0]"]), pick(["a", "b", "y", "0", "4"])
        return pick(
            [f"{left} {pick(['<', '>', '==', '!=', '<='])} {right}", f"{left} % 3", f"{left} in (0, 1, 5)"]
        )

    def block(self, indent, depth, in_loop, count):
        for _ in range(self.random.randint(1, count)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent, depth, in_loop):
        kinds = ["assign", "assign", "item", "option", "use"]
        if depth < 3:
            kinds += ["if", "if", "while", "for", "for"]
        if in_loop:
            kinds += ["break", "continue"]
        if depth:
            kinds += ["return"]
        getattr(self, "write_" + self.random.choice(kinds))(indent, depth, in_loop)

    def write(self, line):
        self.lines.append(line)

    def write_assign(self, indent, depth, in_loop):
        name = self.random.choice("abn")
        if self.random.random() < 0.2:
            self.write(f"{indent}a, b = b, {self.number()}")
        else:
            self.write(f"{indent}{name} = {self.number()}")

    def write_item(self, indent, depth, in_loop):
        where = self.random.randint(0, 2)
        self.write(f"{indent}kept[{where}] = {self.number()}")

    def write_option(self, indent, depth, in_loop):
        self.write(f"{indent}o = {self.random.choice(['None', self.number(), self.number()])}")

    def write_use(self, indent, depth, in_loop):
        self.write(f"{indent}if o is not None{self.random.choice(['', f' and {self.test()}'])}:")
        self.write(f"{indent}    a = (a + o) % 19")

    def write_if(self, indent, depth, in_loop):
        self.write(f"{indent}if {self.test()}:")
        self.block(indent + "    ", depth + 1, in_loop, 3)
        for _ in range(self.random.choice([0, 0, 1])):
            self.write(f"{indent}elif {self.test()}:")
            self.block(indent + "    ", depth + 1, in_loop, 2)
        if self.random.random() < 0.5:
            self.write(f"{indent}else:")
            self.block(indent + "    ", depth + 1, in_loop, 3)

    def write_while(self, indent, depth, in_loop):
        self.loops += 1
        counter = f"k{self.loops}"
        self.write(f"{indent}{counter} = 0")
        self.write(f"{indent}while {counter} < {self.random.randint(1, 5)} and {self.test()}:")
        self.write(f"{indent}    {counter} += 1")
        self.block(indent + "    ", depth + 1, True, 3)
        self.write_else(indent, depth, in_loop)

    def write_for(self, indent, depth, in_loop):
        self.loops += 1
        length = self.random.choice(["3", "12", "abs(x) % 5", "y % 4"])
        self.write(f"{indent}for i{self.loops} in range({length}):")
        self.write(f"{indent}    n = (n + i{self.loops}) % 13")
        self.block(indent + "    ", depth + 1, True, 3)
        self.write_else(indent, depth, in_loop)

    def write_else(self, indent, depth, in_loop):
        if self.random.random() < 0.25:
            self.write(f"{indent}else:")
            self.block(indent + "    ", depth + 1, in_loop, 2)

    def write_break(self, indent, depth, in_loop):
        self.write(f"{indent}if {self.test()}: break")

    def write_continue(self, indent, depth, in_loop):
        self.write(f"{indent}if {self.test()}: continue")

    def write_return(self, indent, depth, in_loop):
        self.write(f"{indent}if {self.test()}: return {self.number()}, b, n, 0, [a, b, {self.number()}]")


def load(text):
    return module_of(text)["program"]


def numbers(result):
    return [int(leaf) for leaf in jax.tree.leaves(result)]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(seed):
    text = Writer(seed).program()
    program = load(text)
    expected = [numbers(program(*arguments)) for arguments in ARGUMENTS]
    converted = autograph.convert(program)
    compiled = jax.jit(converted)
    assert [numbers(compiled(*arguments)) for arguments in ARGUMENTS] == expected, text
    mapped = jax.tree.leaves(jax.jit(jax.vmap(converted))(*np.array(ARGUMENTS).T))
    assert [list(map(int, row)) for row in zip(*mapped)] == expected, text
