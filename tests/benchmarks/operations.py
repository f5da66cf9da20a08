"""What an operation costs on the numpy engine, beside the same calls of NumPy in plain Python.

Two programs of different length are timed on both sides; the difference is the cost per operation, and
what a call of the function costs drops out.
"""

import numpy as np

import runtime as rt
from tests.benchmarks.measure import Pair, paired, readable, report
from tests.benchmarks.programs import fresh, straight_line

SHORT, LONG = 50, 450


def both_sides(operations: int, rounds: int) -> Pair:
    plain = fresh(straight_line(operations))
    compiled = rt.function(plain, engine="numpy")
    x, y = np.linspace(0.1, 0.9, 8), np.full(8, 0.5)
    return paired(f"{operations} operations", lambda: compiled(x, y), lambda: plain(x, y), rounds, repeat=20)


def main(rounds: int = 60) -> None:
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
