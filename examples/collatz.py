"""The longest Collatz chain: halve the even, triple the odd and add one, until 1.

python examples/collatz.py
"""

import numpy as np

import runtime as rt
from beside import beside_python


def chain_length(n):
    """How many numbers a chain has, its first one and 1 included."""
    length = 1
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        length += 1
    return length


@rt.function
def chain_lengths(starts):
    """The length of the chain of every start, and the start with the longest one."""
    lengths = np.zeros(len(starts), dtype=np.int64)
    longest, best = 0, 0
    for k in range(len(starts)):
        start = int(starts[k])
        length = chain_length(start)
        lengths[k] = length
        if length > longest:
            longest, best = length, start
    return lengths, best


def histogram(lengths: np.ndarray, bins: int, width: int = 60) -> str:
    """A bar for each range of lengths."""
    counts, edges = np.histogram(lengths, bins=bins)
    bars = (counts / counts.max() * width).round().astype(int)
    return "\n".join(
        f"{int(low):4d}..{int(high):<4d} {'#' * bar} {count}"
        for low, high, bar, count in zip(edges, edges[1:], bars, counts, strict=False)
    )


def main(limit: int = 30_000, engine: str = "auto") -> tuple[int, int]:
    """Try every start below `limit`; returns the best one and the length of its chain."""
    lengths, best = beside_python(chain_lengths, np.arange(1, limit), engine=engine)
    print(f"below {limit} the longest chain begins at {best} and has {lengths[best - 1]} numbers")
    print(histogram(lengths, bins=12))
    return best, int(lengths[best - 1])


if __name__ == "__main__":
    main()
