"""100,000 writes into an array of a million numbers, one per iteration: time and memory on both engines.

A copy per write would be 100,000 times 8 MB; the peak of memory says that there is none.
"""

import resource
import tracemalloc

import numpy as np

import runtime as rt
from tests.benchmarks.measure import median, readable, report, seconds

WRITES, LENGTH = 100_000, 1_000_000


def scatter(x, n):
    position = 12345
    for i in range(n):
        position = (position * 1103515245 + 12345) % 2147483648
        x[position % len(x)] += i
    return x


def main(rounds: int = 5) -> None:
    expected = scatter(np.zeros(LENGTH), WRITES)
    plain = seconds(lambda: scatter(np.zeros(LENGTH), WRITES))
    for engine in ("numpy", "native"):
        compiled = rt.function(scatter, engine=engine)
        x = np.zeros(LENGTH)
        compiled(x, WRITES)
        assert np.array_equal(x, expected)
        tracemalloc.start()
        compiled(x, WRITES)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        taken = median(lambda: compiled(x, WRITES), max(2, rounds))
        report(
            f"{WRITES} writes into {LENGTH}, {engine} engine: memory",
            f"{peak / 1e6:.2f} MB (array: {x.nbytes / 1e6:.0f} MB)",
            "< the array",
            peak < x.nbytes,
        )
        limit = 2 * plain if engine == "numpy" else plain / 20
        report(
            f"{WRITES} writes into {LENGTH}, {engine} engine: time",
            f"{readable(taken)} (Python {readable(plain)})",
            f"<= {readable(limit)}",
            taken <= limit,
        )
    print(f"  peak of the whole process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
