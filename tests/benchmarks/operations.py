"""What an operation costs on the numpy engine, beside the same calls of NumPy; and what to trace 200 takes.

Two programs of different length are timed on both sides; the difference is the cost per operation, and
what a call of the function costs drops out. Of a trace the second and later ones are timed, each for an
array of another length: conversion and compilation are not counted.
"""

import statistics

import numpy as np

import runtime as rt
from tests.benchmarks.measure import Pair, paired, readable, report, seconds
from tests.benchmarks.programs import fresh, straight_line

SHORT, LONG = 50, 450


def both_sides(operations: int, rounds: int) -> Pair:
    plain = fresh(straight_line(operations))
    compiled = rt.function(plain, engine="numpy")
    x, y = np.linspace(0.1, 0.9, 8), np.full(8, 0.5)
    return paired(f"{operations} operations", lambda: compiled(x, y), lambda: plain(x, y), rounds, repeat=20)


def tracing(rounds: int) -> None:
    function = rt.function(fresh(straight_line(200)), engine="numpy")

    def trace(length: int) -> object:
        spec = rt.TensorSpec([length], "float64")
        return function.get_concrete_function(spec, spec)

    times = [seconds(lambda: trace(length)) for length in range(1, rounds + 2)]
    taken = statistics.median(times[1:])
    report("tracing 200 operations", readable(taken), "< 20 ms", taken < 0.020)


def main(rounds: int = 60) -> None:
    tracing(rounds)
    short, long = both_sides(SHORT, rounds), both_sides(LONG, rounds)
    ours = (long.ours - short.ours) / (LONG - SHORT)
    theirs = (long.theirs - short.theirs) / (LONG - SHORT)
    report(
        "numpy engine, beyond NumPy's call, per operation",
        f"{readable(ours - theirs)} ({readable(theirs)})",
        "<= 0.50 us",
        ours - theirs <= 0.5e-6,
    )


if __name__ == "__main__":
    main()
