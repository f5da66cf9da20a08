"""Collatz over 1..10000 as one compiled function, beside C written by hand and compiled with `cc -O2`."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import runtime as rt
from tests.benchmarks.measure import paired, readable, report

LIMIT = 10_000

C = """\
#include <stdint.h>

int64_t collatz(int64_t limit) {
    int64_t total = 0;
    for (int64_t start = 1; start <= limit; start++) {
        int64_t n = start;
        while (n != 1) {
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
            total++;
        }
    }
    return total;
}
"""


def collatz(limit):
    """How many steps all chains from 1 to `limit` take together."""
    total = 0
    for start in range(1, limit + 1):
        n = start
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            total += 1
    return total


def in_c(folder: Path, compiler: str) -> Callable[[int], int]:
    """The C function as a Python callable."""
    source, library = folder / "collatz.c", folder / "collatz.so"
    source.write_text(C, encoding="utf-8")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    function = ctypes.CDLL(str(library)).collatz
    function.argtypes, function.restype = [ctypes.c_int64], ctypes.c_int64
    return function


def main(rounds: int = 20) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        report(f"Collatz over 1..{LIMIT}", "no C compiler (cc) here", "<= 3 x C", met=False)
        return
    compiled = rt.function(collatz, engine="native")
    limit = np.int64(LIMIT)  # a NumPy number is staged; a Python number is part of the signature
    with tempfile.TemporaryDirectory() as folder:
        c = in_c(Path(folder), compiler)
        if compiled(limit) != c(LIMIT):
            raise AssertionError(f"C gives {c(LIMIT)}, the compiled function {compiled(limit)}")
        pair = paired("collatz", lambda: compiled(limit), lambda: c(LIMIT), rounds)
    report(
        f"Collatz over 1..{LIMIT}, beside C",
        f"{pair.ratio:.2f} x ({readable(pair.theirs)})",
        "<= 3 x C",
        pair.ratio <= 3.0,
    )


if __name__ == "__main__":
    main()
