"""The kernels of NPBench: are all right, and how fast are they beside NumPy and numba?

    python tests/benchmarks/npbench.py CHECKOUT [KERNEL ...]   # a checkout of github.com/spcl/npbench

One thread. Every kernel runs on two sets of data, each compared with NumPy; then rounds of ours, NumPy's and
numba's alternate. What left machine code though it need not is told at the end. numba is optional. It
compiles for minutes: NUMBA_CACHE_DIR keeps that for the next run.
"""

import argparse
import importlib
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for library in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402

import runtime as rt  # noqa: E402
from autograph.errors import AutographError  # noqa: E402

try:
    import numba  # type: ignore[import-untyped]
except ImportError:
    numba = None

#: so much is a result that counts as right away from NumPy's, relative to the largest number and to its own
NEAR, NEAR_EACH = 1e-9, 1e-6
#: seconds that the rounds of one kernel take at most, about
SECONDS = 2.0


class Kernel:
    """A benchmark of the checkout: its functions, and its arguments."""

    def __init__(self, description: dict[str, Any], size: str) -> None:
        self.info = description
        self.size = size
        self.name: str = description["short_name"]
        folder = description["relative_path"].replace("/", ".")
        self.module = f"npbench.benchmarks.{folder}.{description['module_name']}"

    def function(self, *kinds: str) -> Callable[..., Any] | None:
        for kind in kinds:
            try:
                return getattr(importlib.import_module(f"{self.module}_{kind}"), self.info["func_name"])  # type: ignore[no-any-return]
            except (ImportError, AttributeError):
                continue
        return None

    def data(self) -> dict[str, Any]:
        """The arguments by name, as the benchmark itself makes them."""
        known: dict[str, Any] = dict(self.info["parameters"][self.size])
        if "init" in self.info:
            first = self.info["init"]
            make = getattr(importlib.import_module(self.module), first["func_name"])
            made = make(*[known[name] for name in first["input_args"]])
            names = first["output_args"]
            known |= zip(names, made if len(names) > 1 else (made,), strict=True)
        return known

    def arguments(self, data: dict[str, Any]) -> list[Any]:
        """Fresh ones: kernels write into them."""
        return [
            value.copy() if isinstance(value := data[name], np.ndarray) else value
            for name in self.info["input_args"]
        ]


def other_data(data: dict[str, Any]) -> dict[str, Any]:
    """Arrays whose rows and columns are scaled: what was symmetric, or positive definite, stays so."""
    random = np.random.default_rng(1)
    changed = {}
    for name, value in data.items():
        if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
            factors = 1 + 0.1 * random.random(max(value.shape, default=1)).astype(value.real.dtype)
            value = value.copy()
            for axis, length in enumerate(value.shape):
                value *= factors[:length].reshape([-1 if k == axis else 1 for k in range(value.ndim)])
        changed[name] = value
    return changed


def difference(found: Any, expected: Any) -> float:
    """How far results are from each other: 1 is as far as they may be."""
    if isinstance(expected, tuple | list):
        if len(found) != len(expected):
            return math.inf
        return max([difference(a, b) for a, b in zip(found, expected, strict=True)], default=0.0)
    if expected is None or isinstance(expected, str):
        return 0.0 if found == expected else math.inf
    a, b = np.asarray(found), np.asarray(expected)
    if a.shape != b.shape or a.dtype != b.dtype or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return math.inf
    if a.dtype.kind not in "fc":
        return 0.0 if np.array_equal(a, b) else math.inf
    fine = np.isfinite(b)
    sizes = np.abs(b[fine])
    loose = 1e7 if a.dtype.itemsize == (4 if a.dtype.kind == "f" else 8) else 1.0
    allowed = loose * (NEAR * sizes.max(initial=0.0) + NEAR_EACH * sizes) + 1e-300
    return float((np.abs(a[fine] - b[fine]) / allowed).max(initial=0.0))


def is_right(kernel: Kernel, ours: Callable[..., Any], numpys: Callable[..., Any]) -> float:
    worst = 0.0
    for data in (kernel.data(), other_data(kernel.data())):
        expected_in, found_in = kernel.arguments(data), kernel.arguments(data)
        expected, found = numpys(*expected_in), ours(*found_in)
        worst = max(worst, difference((found, *found_in), (expected, *expected_in)))
    return worst


def medians(kernel: Kernel, sides: dict[str, Callable[..., Any]]) -> dict[str, float]:
    """Median seconds of a call of each side, over rounds that alternate."""
    data = kernel.data()
    times: dict[str, list[float]] = {name: [] for name in sides}
    for call in sides.values():
        call(*kernel.arguments(data))
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until or len(times["ours"]) < 3:
        for name, call in sides.items():
            arguments = kernel.arguments(data)
            began = time.perf_counter()
            call(*arguments)
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(found) for name, found in times.items()}


def geometric_mean(numbers: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, numbers)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("checkout", type=Path)
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--size", default="S", choices=["S", "M", "L"])
    options = parser.parse_args()
    sys.path.insert(0, str(options.checkout))
    if numba is not None and "NUMBA_CACHE_DIR" in os.environ:
        plain = numba.jit
        numba.jit = lambda *args, **kwargs: plain(*args, **{"cache": True, **kwargs})
    against: dict[str, list[float]] = {"numpy": [], "numba": []}
    firsts: list[float] = []
    wrong: list[str] = []
    slow: list[str] = []
    print(f"{'kernel':<26} {'ours ms':>9} {'x numpy':>8} {'x numba':>8} {'first s':>8}  off")
    for file in sorted((options.checkout / "bench_info").glob("*.json")):
        kernel = Kernel(json.loads(file.read_text())["benchmark"], options.size)
        if options.kernels and kernel.name not in options.kernels:
            continue
        numpys, numbas = kernel.function("numpy"), kernel.function("numba_n", "numba_o")
        assert numpys is not None
        ours = rt.function(numpys)
        arguments = kernel.arguments(kernel.data())
        began = time.process_time()
        try:
            ours(*arguments)
        except AutographError as error:
            print(f"{kernel.name:<26} refused: {str(error).splitlines()[0]}")
            continue
        firsts.append(time.process_time() - began)
        off = is_right(kernel, ours, numpys)
        if off > 1:
            wrong.append(kernel.name)
        sides = {"ours": ours, "numpy": numpys} | (
            {} if numba is None or numbas is None else {"numba": numbas}
        )
        try:
            found = medians(kernel, sides)
        except Exception as error:
            print(f"{kernel.name}: without numba, {type(error).__name__}")
            found = medians(kernel, {"ours": ours, "numpy": numpys})
        for trace in ours.explain().traces:
            others = [] if trace.engine == "native" else [f"ran on the {trace.engine} engine"]
            slow += [f"{kernel.name}: {way}" for way in (*others, *trace.slow_ways)]
        ratios = {side: found[side] / found["ours"] for side in against if side in found}
        for side, ratio in ratios.items():
            against[side].append(ratio)
        shown = [f"{ratios[side]:8.2f}" if side in ratios else " " * 8 for side in against]
        print(
            f"{kernel.name:<26} {found['ours'] * 1e3:9.3f} {' '.join(shown)} {firsts[-1]:8.2f}  {off:.1e}",
            flush=True,
        )
    for side, numbers in against.items():
        if numbers:
            print(f"{geometric_mean(numbers):.2f} times {side} in geometric mean of {len(numbers)} kernels")
    print(f"first calls: {statistics.median(firsts):.2f} s in the median, {max(firsts):.2f} at most (CPU)")
    print(f"wrong: {', '.join(wrong) or 'none'}")
    print("\n".join(["slow ways:", *slow]) if slow else "slow ways: none")


if __name__ == "__main__":
    main()
