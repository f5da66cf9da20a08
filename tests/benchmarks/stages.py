"""Tracing `if` in loops over CasADi's symbols, beside the same function with `if_else` written by hand.

python tests/benchmarks/stages.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import casadi as ca

from tests.benchmarks.measure import Pair, paired, readable, report

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "stages"))
from control_with_casadi import stage


def settle(x, times):
    for _ in range(times):
        if x > 1:
            x = x / 2
        else:
            x = x + 0.3
    return x


def settle_by_hand(x, times):
    for _ in range(times):
        x = ca.if_else(x > 1, x / 2, x + 0.3)
    return x


def found(x, times):
    steps = 0
    while abs(x * x - 2) > 1e-6 and steps < times:
        x = (x + 2 / x) / 2
        steps += 1
    return x


def found_by_hand(x, times):
    """The inner iterations first: what comes after an iteration stands in its branch."""

    def rest(x, steps):
        if steps == times:
            return x
        return ca.if_else(abs(x * x - 2) > 1e-6, rest((x + 2 / x) / 2, steps + 1), x)

    return rest(x, 0)


PROGRAMS = {"`if` in a `for`": (settle, settle_by_hand), "`while` with a bound": (found, found_by_hand)}


def measure(rounds: int = 30, times: int = 100) -> list[Pair]:
    """Each program traced for `times` iterations by the stage, and by hand."""
    stage.limit = times + 1
    x = ca.SX.sym("x")
    return [
        paired(name, lambda: stage.convert(ours)(x, times), lambda: by_hand(x, times), rounds)
        for name, (ours, by_hand) in PROGRAMS.items()
    ]


def main(rounds: int = 30) -> None:
    for pair in measure(rounds):
        measured = f"{readable(pair.ours)}, {pair.ratio:.1f} times"
        report(f"CasADi, 100 iterations: {pair.name}", measured, "at most 3 times", pair.ratio <= 3)


if __name__ == "__main__":
    main()
