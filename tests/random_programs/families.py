"""Families of random programs about one subject each, with a long run of their own.

python -m tests.random_programs.nesting --count 1000 --seed 5000
"""

from __future__ import annotations

import argparse
import collections
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.differential import check
from tests.modules import module_of


class Family(NamedTuple):
    """``source`` makes the text of a program from a number, ``calls`` the arguments of its calls."""

    name: str
    source: Callable[[int, bool], str]
    calls: Callable[[], Sequence[tuple[Any, ...]]]

    def load(self, seed: int, deeper: bool = False) -> tuple[str, Any]:
        """The source of a program, and its function."""
        source = self.source(seed, deeper)
        return source, module_of(source, np=np, __name__=self.name)["f"]

    def judge(self, seed: int, engine: str, deeper: bool = False) -> bool:
        """Is the program right? False where it is refused; raises where it is different."""
        f = self.load(seed, deeper)[1]
        return check(f, *self.calls(), engines=[engine], may_refuse=True)

    def main(self) -> None:
        """A long run: prints each program that is different, and at the end how many there were."""
        parser = argparse.ArgumentParser(description=f"A long run of random programs about {self.name}.")
        parser.add_argument("--count", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--engine", choices=("numpy", "native"), default="numpy")
        parser.add_argument("--deeper", action="store_true", help="change what is one level further in")
        options = parser.parse_args()
        found: collections.Counter[str] = collections.Counter()
        for seed in range(options.seed, options.seed + options.count):
            try:
                right = self.judge(seed, options.engine, options.deeper)
                found["equal" if right else "refused"] += 1
            except AssertionError as difference:
                found["different"] += 1
                print(f"# program {seed}\n{self.load(seed, options.deeper)[0]}\n{difference}\n")
        print(dict(found))
