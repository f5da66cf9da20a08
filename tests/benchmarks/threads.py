"""Two threads that call one function on two arrays, beside one of them; and a thread of Python meanwhile.

The processor must have two cores with nothing else to do.
"""

import threading
import time
from collections.abc import Callable

import numpy as np

import runtime as rt
from tests.benchmarks.measure import paired, report


def loop(x):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
    return total


def elements(x):
    return (np.sin(x) * x).sum()


def in_two_threads(f: Callable[[np.ndarray], object], x: np.ndarray, y: np.ndarray) -> None:
    threads = [threading.Thread(target=f, args=(array,)) for array in (x, y)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def counts(during: Callable[[], object]) -> float:
    """How often in a second a thread of Python counts while this one does something."""
    count, ended = 0, False

    def work() -> None:
        nonlocal count
        while not ended:
            count += 1

    thread = threading.Thread(target=work)
    thread.start()
    began, before = time.perf_counter(), count
    during()
    found = (count - before) / (time.perf_counter() - began)
    ended = True
    thread.join()
    return found


def main(rounds: int = 21) -> None:
    size = 100_000 * rounds
    x, y = np.random.rand(size), np.random.rand(size)
    for program in (loop, elements):
        f = rt.function(program)
        both = paired(program.__name__, lambda f=f: in_two_threads(f, x, y), lambda f=f: f(x), rounds)
        report(
            f"{program.__name__}: two threads beside one", f"{both.ratio:.2f}x", "< 1.2x", both.ratio < 1.2
        )
    f = rt.function(loop)
    f(x)
    share = counts(lambda: [f(x) for _ in range(rounds)]) / counts(lambda: time.sleep(0.2))
    report("Python beside a long loop, of its speed alone", f"{share:.2f}", "> 0.5", share > 0.5)


if __name__ == "__main__":
    main()
