"""A fresh process: from the decorator to the first result of a loop, a second function, and `runtime.tf`.

In the CPU time of the thread, for what a program waits for at its start varies twofold on a machine with
other work.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measure import readable, report

ROOT = Path(__file__).resolve().parents[2]

LOOP = """
import json, sys, time
import numpy

def total(n):
    found = 0.0
    for i in range(n):
        found = found + i * 0.5
    return found

def tamed(n, a):
    found = a
    for i in range(n):
        if found > 100.0:
            found = found / 3.0
        found = found + i
    return found

began = time.thread_time()
import runtime as rt
rt.function(total)(1000)
first = time.thread_time()
rt.function(tamed)(1000, 2.0)
print(json.dumps([first - began, time.thread_time() - first]))
"""

TENSORFLOW = """
import json, resource, time
import numpy
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
began = time.thread_time()
import runtime.tf as tf
imported = time.thread_time()
tf.constant([1.0, 2.0]) + 1.0
print(json.dumps([imported - began, time.thread_time() - began, used()]))
"""


def medians(program: str, rounds: int, **variables: str) -> list[float]:
    """What the program prints, in fresh processes that find compiled bytecode; the first does not count."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPATH": str(ROOT), **variables}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(program)
        command = [sys.executable, str(file)]
        runs = [
            json.loads(subprocess.run(command, check=True, env=environment, capture_output=True).stdout)
            for _ in range(rounds + 1)
        ]
    return [statistics.median(values) for values in zip(*runs[1:], strict=True)]


def main(rounds: int = 15) -> None:
    first, second = medians(LOOP, rounds)
    report("first call of a process, a loop over a range", readable(first), "< 100 ms", first < 0.100)
    report("a second function", readable(second), "< 20 ms", second < 0.020)
    with tempfile.TemporaryDirectory() as folder:
        first, second = medians(LOOP, rounds, AUTOGRAPH_CACHE_DIR=folder)
    report("first call, with machine code on disk", readable(first), "< 100 ms", first < 0.100)
    report("a second function, with machine code on disk", readable(second), "< 30 ms", second < 0.030)
    imported, used, memory = medians(TENSORFLOW, rounds)
    report("import runtime.tf", readable(imported), "< 60 ms", imported < 0.060)
    report("import runtime.tf, and an addition", readable(used), "< 60 ms", used < 0.060)
    report("memory of a process after it", f"{memory:.0f} MB", "< 60 MB", memory < 60)


if __name__ == "__main__":
    main()
