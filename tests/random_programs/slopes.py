"""Gradients of random programs, against central differences of plain Python.

    python -m tests.random_programs.slopes --count 1000 --seed 5000

The programs are those of `generator.py` and `views.py`, with a function around each that makes one float
of the numbers and arrays that it returns. A gradient is compared at points where plain Python is smooth:
where the differences of two step lengths, and those to both sides, agree.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt
from autograph.errors import AutographError
from tests.modules import module_of
from tests.random_programs.choices import seeded
from tests.random_programs.generator import generate
from tests.random_programs.properties import time_limit
from tests.random_programs.scope import FEATURES
from tests.random_programs.views import VIEWS

#: what a result holds beside numbers and arrays is left out: the sum would have to know its structure
_WITHOUT = frozenset(
    "print string words set generator iterator linked pattern match vec pt grid small optional none "
    "mapping deque lists list dict object global star noisy nan property closure own_error raise "
    "assert out_of_range fold manager with".split()
)
_SUM = """

def loss(*given):
    total = 0.0
    for part in flat(f(*given)):
        total = total + part
    return total


def flat(result):
    if isinstance(result, tuple):
        return [number for part in result for number in flat(part)]
    if isinstance(result, np.ndarray):
        return [(result * (1.0 + 0.3 * np.arange(result.size).reshape(result.shape))).sum()]
    if isinstance(result, (float, int)):
        return [1.0 * result]
    return []
"""


def source_of(seed: int) -> tuple[str, list[Any]]:
    """The text of a program, and arguments of a call: every third program is one of views."""
    draw = np.random.default_rng(seed)
    if seed % 3 == 2:
        text = VIEWS.source(seed, False).replace("print(", "abs(")
        text = text.replace("return own, p, q, held", "return own, p, q")
        return text + _SUM, [draw.normal(size=(2, 3)), draw.normal(size=3), int(draw.integers(1, 4))]
    program = generate(seeded(seed), allowed=frozenset(FEATURES) - _WITHOUT)
    given = program.call_values()[0].args
    return program.source + _SUM, [_elsewhere(value, draw) for value in given]


def _elsewhere(value: Any, draw: np.random.Generator) -> Any:
    """A value at which comparisons with round numbers are not on the edge."""
    if isinstance(value, float | np.ndarray) and np.asarray(value).dtype.kind == "f":
        moved = value + draw.normal(size=np.shape(value)) * 0.37
        return type(value)(moved) if isinstance(value, float) else moved.astype(value.dtype)
    return value


class NotSmooth(Exception):
    """There is nothing to compare at this point."""


def slopes(make: Callable[[], Any], args: list[Any]) -> list[float]:
    """The central differences of a fresh function by each number of the first argument."""
    found = []
    for place in np.ndindex(args[0].shape):

        def at(step: float, place: Any = place) -> float:
            moved = [value.copy() if isinstance(value, np.ndarray) else value for value in args]
            moved[0][place] += step
            return float(make()(*moved))

        middle, h = at(0.0), 1e-5
        right, left = (at(h) - middle) / h, (middle - at(-h)) / h
        near = (at(h / 8) - at(-h / 8)) / (h / 4)
        slope = (right + left) / 2
        scale = 1.0 + abs(slope)
        if not math.isfinite(slope + near) or abs(middle) > 1e6 or scale > 1e5:
            raise NotSmooth
        if abs(right - left) > 1e-3 * scale or abs(near - slope) > 1e-4 * scale:
            raise NotSmooth
        found.append(slope)
    return found


def judge(seed: int, engine: str) -> str:
    """Is it "equal", "zero", "refused", or or "rough" (nothing to compare)? Raises where it is wrong."""
    text, args = source_of(seed)
    load = lambda: module_of(text, np=np, __name__="slopes")["loss"]
    printed = contextlib.redirect_stdout(io.StringIO())
    with warnings.catch_warnings(), np.errstate(all="ignore"), printed, time_limit(60):
        warnings.simplefilter("ignore")
        try:
            with np.errstate(invalid="raise"):  # what is computed of NaN has no slope
                expected = slopes(load, args)
        except (NotSmooth, ArithmeticError, LookupError, TypeError, ValueError, AssertionError, NameError):
            return "rough"
        fresh = [value.copy() if isinstance(value, np.ndarray) else value for value in args]
        try:
            found = rt.grad(rt.function(load(), engine=engine))(*fresh)
        except AutographError as error:
            if not any(word in str(error) for word in ("does not depend", "returns the constant")):
                return f"refused: {_head(error)}"
            found = np.zeros(args[0].shape)  # no path, so no slope either
    given = ", ".join(map(repr, args))
    np.testing.assert_allclose(
        np.ravel(found), expected, rtol=2e-4, atol=2e-4, err_msg=f"program {seed}\n{text}\nloss({given})"
    )
    return "equal" if any(expected) else "zero"


def _head(error: Exception) -> str:
    return str(error).splitlines()[0].partition(": ")[2][:100]


def main() -> None:
    """A long run: prints each program whose gradient is different, and at the end how many there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=("numpy", "native"), default="numpy")
    options = parser.parse_args()
    counted: collections.Counter[str] = collections.Counter()
    for seed in range(options.seed, options.seed + options.count):
        try:
            counted[judge(seed, options.engine)] += 1
        except Exception as difference:  # a fault in the engine is a finding, too
            counted["different"] += 1
            print(f"# program {seed}: {type(difference).__name__}: {difference}\n", flush=True)
    for verdict, count in counted.most_common():
        print(f"{count:6}  {verdict}")


if __name__ == "__main__":
    main()
