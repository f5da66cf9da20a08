"""What conversions and compilations leave behind, after thousands of fresh lambdas."""

import ctypes
import gc
import tracemalloc
import types
from pathlib import Path

import numpy as np

import autograph
import runtime as rt
from tests.benchmarks.measure import report

FILE = "<fresh lambda>"


def convert_fresh(count: int, first: int) -> None:
    """Convert so many lambdas, each of a code object of its own, and forget them."""
    for number in range(first, first + count):
        source = f"make = lambda k: (lambda x: x + {number} if x > 0 else k)\n"
        autograph.register_source(source, FILE)
        namespace: dict = {}
        exec(compile(source, FILE, "exec"), namespace)
        assert autograph.convert(namespace["make"](number))(1) == number + 1


def functions_alive() -> int:
    gc.collect()
    return sum(isinstance(found, types.FunctionType) for found in gc.get_objects())


def resident_kilobytes() -> int:
    """The memory of this process."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4


def compile_fresh(count: int) -> None:
    """Compile so many functions, and forget them."""
    for number in range(count):
        rt.function(lambda x: x * 2 + number)(np.ones(3))


def main(rounds: int = 10_000) -> None:
    convert_fresh(500, first=0)  # what is loaded once, and caches of fixed size
    before = functions_alive()
    tracemalloc.start()
    gc.collect()
    start = tracemalloc.take_snapshot()
    convert_fresh(rounds, first=1000)
    gc.collect()
    kept = sum(change.size_diff for change in tracemalloc.take_snapshot().compare_to(start, "filename"))
    tracemalloc.stop()
    each = kept / rounds
    report("bytes kept per converted lambda", f"{each:.0f} of {rounds}", "< 100", each < 100)
    more = functions_alive() - before
    report("functions kept after converting lambdas", f"{more} of {rounds}", "< 100", more < 100)
    compile_fresh(200)
    before = resident_kilobytes()
    compile_fresh(rounds // 2)
    grown = (resident_kilobytes() - before) / 1024
    report("memory after compiled and dropped functions", f"{grown:.1f} MB", "< 5", grown < 5)


if __name__ == "__main__":
    main()
