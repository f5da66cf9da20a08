"""Random programs with `try`, whose bodies compute, store and raise, against central differences.

python -m tests.runtime.gradients.try_fuzz 200
"""

from __future__ import annotations

import collections
import linecache
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt
from autograph import AutographError
from tests.runtime.gradients.differences import directional, gradient

X = np.array([0.7, -0.3, 1.1, 0.4])
ERRORS = ["ValueError", "IndexError", "KeyError", "ZeroDivisionError"]
SIMPLE = [
    "y = y * x[{i}] + 0.5", "y += z * 0.3", "z = np.sin(y) + x[{i}]", "z = z * y - 0.2", "a[{i}] = y",
    "a[{i}] += z * y", "a = a * x", "y = y + a[{i}] * a[{j}]", "z = a.sum() * 0.2", "a[1:] = a[:3] * z",
    "y = y * 0.5 + x[{i} + {j}]", "z = z + x[n + {i}] * y", "y = y + math.sqrt(z)", "z = math.log(y) + z",
    "xs.append(y * z)", "z = xs[-1] * 0.5", "y += xs.pop()", "y = y + sum(xs)",
]  # fmt: skip


class Writer:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.lines: list[str] = []

    def pick(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def put(self, depth: int, line: str) -> None:
        i, j = self.rng.integers(0, 4, 2)
        self.lines.append("    " * depth + line.format(i=i, j=j))

    def condition(self) -> str:
        return f"{self.pick('yz')} {self.pick('<>')} {self.rng.normal():.2f}"

    def block(self, depth: int, room: int) -> None:
        for _ in range(int(self.rng.integers(1, 4))):
            kind = self.rng.random()
            if room == 0 or kind < 0.55:
                self.put(depth, self.pick(SIMPLE))
            elif kind < 0.68:
                self.put(depth, f"if {self.condition()}:")
                self.put(depth + 1, f"raise {self.pick(ERRORS)}")
            elif kind < 0.76:
                self.put(depth, f"for k in range(n + {self.rng.integers(0, 3)}):")
                self.block(depth + 1, room - 1)
            elif kind < 0.84:
                self.put(depth, f"if {self.condition()}:")
                self.block(depth + 1, room - 1)
                self.put(depth, "else:")
                self.block(depth + 1, room - 1)
            else:
                self.attempt(depth, room - 1)

    def attempt(self, depth: int, room: int) -> None:
        self.put(depth, "try:")
        self.block(depth + 1, room)
        caught = ERRORS if self.rng.random() < 0.5 else [self.pick(ERRORS), self.pick(ERRORS)]
        has_finally = self.rng.random() < 0.15
        if not has_finally or self.rng.random() < 0.7:
            self.put(depth, f"except ({', '.join(caught)}):")
            self.block(depth + 1, room)
            if self.rng.random() < 0.2:
                self.put(depth, "else:")
                self.block(depth + 1, room)
        if has_finally:
            self.put(depth, "finally:")
            self.put(depth + 1, self.pick(SIMPLE[:5]))

    def source(self) -> str:
        self.put(0, "def program(x, n):")
        self.put(1, "y, z, a, xs = 0.4, x[1] * 1.0, x * 0.5, [x[2] * 1.0]")
        self.attempt(1, 3)
        self.put(1, "return y * 1.3 + z + (a * np.cos(np.arange(4))).sum() + sum(xs)")
        return "\n".join(self.lines) + "\n"


def program(seed: int) -> Callable[..., Any]:
    text, name = Writer(seed).source(), f"<try {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np, "math": math}
    exec(compile(text, name, "exec"), space)
    function: Callable[..., Any] = space["program"]
    return function


def outcome(seed: int, engine: str, second: bool = False) -> str:
    """What a gradient makes of it: "right", "raises", "refused: ..." or "wrong: ..."."""
    function, n = program(seed), seed % 3
    try:
        function(X.copy(), n)
    except Exception:
        return "raises"
    wanted, along = gradient(function, (X, n)), np.array([0.3, -0.5, 0.8, 0.2])
    try:
        slope = rt.grad(rt.function(function, engine=engine))
        found = slope(X.copy(), n)
        if second and np.allclose(found, wanted, rtol=1e-4, atol=1e-4):
            wanted = directional(lambda x: slope(x, n), [X], [along])[0]
            found = rt.function(lambda x: rt.hvp(lambda x: function(x, n), (x,), (along,)), engine=engine)(X)
    except AutographError as error:
        return f"refused: {error.message[:150]}"
    if np.allclose(found, wanted, rtol=1e-4, atol=1e-4, equal_nan=True):
        return "right"
    return f"wrong: {seed} on {engine} gives {found}, wanted {wanted}"


if __name__ == "__main__":
    seeds = range(*map(int, sys.argv[1:]))
    counts = collections.Counter(outcome(seed, ("numpy", "native")[seed % 2]) for seed in seeds)
    for words, count in counts.most_common():
        print(count, words)
