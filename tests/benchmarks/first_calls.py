"""First calls of ordinary programs: conversion, trace and compilation, each program new to the process."""

import contextlib
import io
import statistics
from collections.abc import Callable
from typing import Any

import runtime as rt
from tests.benchmarks.measure import readable, report, seconds
from tests.differential import ENGINES
from tests.ordinary import numeric, objects
from tests.ordinary.cases import CASES

MODULES = (numeric, objects)  # whose programs are in CASES
LIMIT = 1.0


def first_call(program: Callable[..., Any], engine: str, call: Any) -> float:
    """Seconds of the first call of a new decorated function."""
    function = rt.function(program, engine=engine)
    args, kwargs = call.fresh()
    with contextlib.redirect_stdout(io.StringIO()):
        return seconds(lambda: function(*args, **kwargs))


def main(rounds: int = 20) -> None:
    names = list(CASES)[: 2 if rounds < 3 else None]
    for engine in ENGINES:
        first_call(CASES[names[0]].program, engine, CASES[names[0]].calls[0])  # what is loaded once
        times = {name: first_call(CASES[name].program, engine, CASES[name].calls[0]) for name in names}
        slowest = max(times, key=times.__getitem__)
        report(
            f"first calls of {len(times)} programs, {engine}: slowest",
            f"{readable(times[slowest])} ({slowest})",
            f"< {readable(LIMIT)}",
            times[slowest] < LIMIT,
        )
        middle = statistics.median(times.values())
        report(
            f"first calls of {len(times)} programs, {engine}: median",
            readable(middle),
            "< 300 ms",
            middle < 0.3,
        )


if __name__ == "__main__":
    main()
