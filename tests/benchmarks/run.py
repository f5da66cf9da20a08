"""Run the benchmarks one after the other: `python tests/benchmarks/run.py [--tiny] [NAME...]`."""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

BENCHMARKS = (
    "imports",
    "starting",
    "conversion",
    "plain_speed",
    "leaks",
    "first_calls",
    "compile_times",
    "operations",
    "calls",
    "writes",
    "inner_loops",
    "gradients",
    "containers",
    "gains",
    "collatz",
    "threads",
    "parallel_loops",
    "saving",
    "jax_by_hand",
    "stages",
    "tf",
)


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, or all. --tiny is for checking that they run, not for numbers."""
    tiny = {"rounds": 2} if "--tiny" in arguments else {}
    names = [name for name in arguments if name != "--tiny"] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark named {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    for name in names:
        importlib.import_module(f"tests.benchmarks.{name}").main(**tiny)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
