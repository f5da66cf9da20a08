"""Programs to measure, written to files so that they have source: each one new, so that no cache knows it.

>>> straight_line(2).splitlines()
['def program(x, y):', '    x = x * y', '    x = x + y', '    return x']
"""

import importlib.util
import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

_numbers = itertools.count()

FIFTY_LINES = '''\
def program(signal, threshold, limit):
    """Split a signal into runs above a threshold; fifty lines with control flow of every kind."""
    count = NUMBER
    total = 0.0
    longest = 0
    start = -1
    peaks = []
    for position in range(len(signal)):
        value = signal[position]
        if value != value:
            continue
        if value > threshold:
            if start < 0:
                start = position
                peak = value
            elif value > peak:
                peak = value
            total = total + value
            if total > limit:
                break
        else:
            if start >= 0:
                length = position - start
                if length > longest:
                    longest = length
                peaks.append(peak)
                count += 1
            start = -1
    if start >= 0 and total <= limit:
        count += 1
        longest = max(longest, len(signal) - start)
    if count == 0:
        return 0, 0.0, None
    mean = total / count
    spread = 0.0
    for peak in peaks:
        spread += (peak - mean) ** 2
    steps = 0
    guess = spread if spread > 1.0 else 1.0
    while abs(guess * guess - spread) > 1e-9:
        guess = (guess + spread / guess) / 2.0
        steps += 1
        if steps > 100:
            raise ArithmeticError(f"no root of {spread} after {steps} steps")
    assert guess >= 0.0, "a root is not negative"
    label = "flat" if guess < 0.1 else "steep" if guess > 10.0 else "even"
    if not peaks or (longest < 3 and label == "flat"):
        return count, mean, None
    return count, mean, label
'''


def straight_line(operations: int) -> str:
    """A function of so many operations, one after the other, none of which can be merged with another."""
    body = ["    x = x * y" if k % 2 == 0 else "    x = x + y" for k in range(operations)]
    return "\n".join(["def program(x, y):", *body, "    return x"]) + "\n"


def fresh(source: str) -> Callable[..., Any]:
    """The function `program` of a new module with this source; NUMBER in it becomes a new number."""
    number = next(_numbers)
    path = Path(_folder.name) / f"benchmark_program_{number}.py"
    path.write_text(source.replace("NUMBER", str(number)), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.program


_folder = tempfile.TemporaryDirectory(prefix="benchmark-programs-", ignore_cleanup_errors=True)
