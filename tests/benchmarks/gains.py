"""What gains and what does not: short programs of each kind beside plain Python, the slowest at the top.

In the least CPU time of several rounds, for medians vary with what else a machine does. docs/performance.md
shows the output.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

import runtime as rt
from tests.benchmarks.measure import Pair, readable, report

RANDOM = np.random.default_rng(0)
MANY = RANDOM.random(1_000_000)
SOME = MANY[:1000]
MATRIX = RANDOM.random((300, 300))
FLOATS = SOME.tolist()
NEW_LISTS = itertools.cycle([FLOATS[:] for _ in range(2000)])
TEXTS = [f"k{i}" for i in range(1000)]
TABLE = {text: i for i, text in enumerate(TEXTS)}
LINE = "some words of a text " * 250


class Item:
    def __init__(self, price: float, count: float) -> None:
        self.price, self.count = price, count


ITEMS = [Item(i * 0.5, 2.0) for i in range(1000)]


def visits(matrix):
    total = 0.0
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            if matrix[i, j] > 0.5:
                total += matrix[i, j]
    return total


def draws(n):
    total = 0.0
    for _ in range(n):
        total += RANDOM.random()
    return total


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def worth(items):
    total = 0.0
    for item in items:
        total += item.price * item.count
    return total


def counted(text):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def looked_up(table, keys):
    total = 0
    for key in keys:
        total += table[key]
    return total


def first_again(numbers):
    seen = set()
    for number in numbers:
        if number in seen:
            return number
        seen.add(number)
    return -1


#: what is measured, the function, its arguments or an iterator of new ones
CASES: list[tuple[str, Callable[..., Any], Any]] = [
    ("two nested loops over a matrix, with an `if`", visits, (MATRIX,)),
    ("rng.random() in a loop, 1,000", draws, (1000,)),
    ("recursion, fibonacci(18)", fibonacci, (18,)),
    ("(x * x).sum() of 3 numbers", lambda x: (x * x).sum(), (MANY[:3],)),
    ("np.sqrt(x) of a million", lambda x: np.sqrt(x), (MANY,)),
    ("x.sum() of a million", lambda x: x.sum(), (MANY,)),
    ("(np.sin(x) * x).mean() of a million", lambda x: (np.sin(x) * x).mean(), (MANY,)),
    ("attributes of 1,000 objects", worth, (ITEMS,)),
    ("a set of 1,000 ints", first_again, (list(range(1000)),)),
    ("1,000 look-ups in a dict", looked_up, (TABLE, TEXTS)),
    ("words counted in a dict, 1,250", counted, (LINE,)),
    ("upper case of each of 1,250 words", lambda text: [word.upper() for word in text.split()], (LINE,)),
    ("','.join([f'{x:.2f}' for x in xs]), 1,000", lambda xs: ",".join([f"{x:.2f}" for x in xs]), (FLOATS,)),
    ("x @ x, 300 by 300", lambda x: x @ x, (MATRIX,)),
    ("np.linalg.svd, 300 by 300", lambda x: np.linalg.svd(x)[1], (MATRIX,)),
    ("np.sort of a million", lambda x: np.sort(x), (MANY,)),
    ("x[x > 0.5] of a million", lambda x: x[x > 0.5], (MANY,)),
    ("np.unique of 1,000", lambda x: np.unique(x), (SOME,)),
    ("np.fft.fft of 1,000", lambda x: np.fft.fft(x), (SOME,)),
    ("np.fft.fft of 100,000", lambda x: np.fft.fft(x), (MANY[:100_000],)),
    ("scipy.special.erf of 1,000", lambda x: scipy.special.erf(x), (SOME,)),
    ("rng.normal(size=1000)", lambda rng: rng.normal(size=1000), (RANDOM,)),
    ("sorted(texts), 1,000", lambda texts: sorted(texts), (TEXTS,)),
    ("sum(xs) of the same list of 1,000 floats", lambda xs: sum(xs), (FLOATS,)),
    ("sum(xs) of a new list of 1,000 floats", lambda xs: sum(xs), NEW_LISTS),
    ("max(xs) of a new list of 1,000 floats", lambda xs: max(xs), NEW_LISTS),
    ("xs[::2] of a new list of 1,000 floats", lambda xs: xs[::2], NEW_LISTS),
    ("x + 1 of a float", lambda x: x + 1, (1.5,)),
]  # fmt: skip


def measured(what: str, function: Callable[..., Any], arguments: Any, rounds: int) -> Pair:
    compiled = rt.function(function)

    def call_of(f: Callable[..., Any]) -> Callable[[], object]:
        if arguments is NEW_LISTS:
            return lambda: f(next(NEW_LISTS))
        return lambda: f(*arguments)

    ours, theirs = call_of(compiled), call_of(function)
    for _ in range(20 * rounds):  # from then on machine code takes the calls
        ours()
    repeat = 2000 if what == "x + 1 of a float" else 2 * rounds
    times = [(cpu_seconds(ours, repeat), cpu_seconds(theirs, repeat)) for _ in range(rounds)]
    return Pair(what, *map(min, zip(*times, strict=True)))


def cpu_seconds(call: Callable[[], object], repeat: int) -> float:
    """The CPU time of one call, as the mean of ``repeat`` of them."""
    began = time.process_time()
    for _ in range(repeat):
        call()
    return (time.process_time() - began) / repeat


def main(rounds: int = 15) -> None:
    cases = CASES[::9] if rounds < 5 else CASES
    for pair in sorted((measured(*case, rounds) for case in cases), key=lambda pair: 1 / pair.ratio):
        report(pair.name, f"{1 / pair.ratio:.2f} x Python ({readable(pair.ours)})", "none", True)


if __name__ == "__main__":
    main()
