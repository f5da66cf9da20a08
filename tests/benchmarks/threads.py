"""Several threads against one, in pairs in one process.

    python tests/benchmarks/threads.py [threads]

Shown are the ratio of times (median of the pairs), and, for busy machines, what part of the processor time
the calling thread had: with two threads that share the work alike it is a half.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt

ROUNDS = 9


@rt.function
def chain(x: Any, y: Any) -> Any:
    return (x * 2.0 + y) / (1.0 + x * x) - np.sqrt(y) * x


@rt.function
def heat(a: Any, b: Any, steps: int) -> Any:
    for _ in range(steps):
        b[1:-1, 1:-1, 1:-1] = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, 1:-1, :-2])
            + a[1:-1, 1:-1, 1:-1]
        )
        a[:] = b
    return a


@rt.function
def mandelbrot(counts: Any, most: int) -> Any:
    height, width = counts.shape
    for i in rt.prange(height):
        for j in range(width):
            cx, cy = 3.0 * j / width - 2.0, 2.0 * i / height - 1.0
            x = y = 0.0
            n = 0
            while n < most and x * x + y * y < 4.0:
                x, y = x * x - y * y + cx, 2.0 * x * y + cy
                n += 1
            counts[i, j] = n
    return counts


@rt.function
def total(x: Any) -> float:
    s = 0.0
    for i in rt.prange(len(x)):
        s += x[i] * x[i] + np.sin(x[i])
    return s


def compare(name: str, call: Callable[[], Any], threads: int) -> None:
    """Call it by turns with one thread and with several."""
    times: dict[int, list[float]] = {1: [], threads: []}
    shares = []
    call()
    for _ in range(ROUNDS):
        for count, found in times.items():
            rt.set_threads(count)
            began, own, all_of_them = time.perf_counter(), time.thread_time(), time.process_time()
            call()
            found.append(time.perf_counter() - began)
            if count > 1:
                shares.append((time.thread_time() - own) / (time.process_time() - all_of_them))
    ratio = statistics.median([a / b for a, b in zip(*times.values(), strict=True)])
    one, several = [1e3 * statistics.median(found) for found in times.values()]
    share = statistics.median(shares)
    print(f"{name:20} {one:8.1f} ms {several:8.1f} ms  {ratio:5.2f} times, own part {share:.2f}")


def main() -> None:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    random = np.random.default_rng(0)
    x, y, cube = random.random(10**7), random.random(10**7), random.random((120, 120, 120))
    counts = np.zeros((400, 600), "i8")
    compare("chain of 1e7", lambda: chain(x, y), threads)
    compare("heat_3d of 120", lambda: heat(cube, cube.copy(), 10), threads)
    compare("Mandelbrot", lambda: mandelbrot(counts, 200), threads)
    compare("sum of 1e7", lambda: total(x), threads)


if __name__ == "__main__":
    main()
