"""What conversions leave behind: memory and functions after thousands of fresh lambdas."""

import gc
import tracemalloc
import types

import autograph
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


if __name__ == "__main__":
    main()
