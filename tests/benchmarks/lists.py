"""A hundred thousand appends in a staged loop, and a stack of numbers, beside plain Python."""

import numpy as np

import runtime as rt
from tests.benchmarks.measure import paired, readable, report

LENGTH = 100_000


def positive(x):
    kept = []
    for i in range(len(x)):
        if x[i] > 0:
            kept.append(i)
    return kept


def halves(n):
    """All numbers that halving and thirding lead to."""
    stack = [n]
    total = 0
    while stack:
        k = stack.pop()
        total += k
        if k > 1:
            stack.append(k // 2)
            stack.append(k // 3)
    return total


def main(rounds: int = 20) -> None:
    x = np.linspace(1.0, 2.0, LENGTH)
    for what, function, argument in (
        (f"{LENGTH} appends, beside Python", positive, x),
        ("push and pop, beside Python", halves, np.int64(LENGTH)),
    ):
        compiled = rt.function(function, engine="native")
        if compiled(argument) != function(argument):
            raise AssertionError(f"{function.__name__} differs")
        pair = paired(what, lambda: compiled(argument), lambda: function(argument), rounds)
        report(what, f"{pair.ratio:.2f} x ({readable(pair.theirs)})", "<= 1 x Python", pair.ratio <= 1.0)


if __name__ == "__main__":
    main()
