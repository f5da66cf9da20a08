"""Two threads in one run against one, in pairs in one process.

The processor must have two cores with nothing else to do. For busy machines there is what part of the
processor time the calling thread had: where two threads share the work alike it is a half.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt
from tests.benchmarks.measure import report


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


def compare(name: str, call: Callable[[], Any], rounds: int) -> None:
    """Call it by turns with one thread and with two."""
    times: dict[int, list[float]] = {1: [], 2: []}
    shares = []
    call()
    for _ in range(rounds):
        for count, found in times.items():
            rt.set_threads(count)
            began, own, all_of_them = time.perf_counter(), time.thread_time(), time.process_time()
            call()
            found.append(time.perf_counter() - began)
            if count > 1:
                shares.append((time.thread_time() - own) / (time.process_time() - all_of_them))
    rt.set_threads(None)
    gain = statistics.median([a / b for a, b in zip(*times.values(), strict=True)])
    share = statistics.median(shares)
    report(f"{name}: two threads, own part {share:.2f}", f"{gain:.2f} times as fast", ">= 1.7", gain >= 1.7)


def main(rounds: int = 9) -> None:
    random = np.random.default_rng(0)
    size = 10**7 if rounds > 2 else 10**6
    x, y, cube = random.random(size), random.random(size), random.random((120, 120, 120))
    counts = np.zeros((400, 600), "i8")
    compare(f"chain of {size}", lambda: chain(x, y), rounds)
    compare("heat_3d of 120", lambda: heat(cube, cube.copy(), rounds), rounds)
    compare("Mandelbrot", lambda: mandelbrot(counts, 20 * rounds), rounds)
    compare(f"sum of {size}", lambda: total(x), rounds)


if __name__ == "__main__":
    main()
