"""Compare random programs over both bases with Python: `python -m tests.stage_programs --count 2000`.

Each must be right or refused. One that differs is made smaller and printed; exit status 1.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from typing import Any

import autograph
from autograph.stages.testing import numbers_of, outcome_of
from tests.autograph.stages import toys
from tests.python_programs.__main__ import _give_up, _TooLong
from tests.random_programs.choices import seeded
from tests.random_programs.program import Program
from tests.random_programs.reduce import reduce
from tests.stage_programs.generator import program

POINTS = [(1, 2), (3, 0), (-2, 3), (2, 2)]


class Refusing(toys.Terms):
    """What needs more iterations than a few is refused, as it is where nobody says anything else."""

    limit = 5
    unfinished = autograph.stages.SelectStage.unfinished


def over_terms(function: Any, *numbers: float) -> Any:
    return toys.run_terms(function, *numbers, stage=Refusing())


STAGES = {"terms": over_terms, "graphs": toys.run_graphs}


def outcomes(text: str) -> dict[str, Any]:
    """What becomes of a program over each library; nothing where Python itself raises."""
    code = compile(text, autograph.register_source(text), "exec")

    def make() -> Any:
        names: dict[str, Any] = {"__name__": "stage_program"}
        exec(code, names)
        return names["f"]

    points = [point for point in POINTS if _runs(make(), point)]
    return {name: outcome_of(make, points, run) for name, run in STAGES.items()} if points else {}


def _runs(f: Any, point: tuple[int, int]) -> bool:
    """Does Python itself run it? It may have a number that is too large, or an index out of range."""
    try:
        return bool(numbers_of(f(*point)))
    except Exception:
        return False


def found(text: str) -> str | None:
    """What is wrong, or raised by something other than a refusal."""
    for name, outcome in outcomes(text).items():
        if outcome.verdict in ("wrong", "raised"):
            return f"{name}: {outcome.verdict} {outcome.text}"
    return None


def _fails(smaller: Program) -> bool:
    signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, 3, 0.1)
    try:
        return found(smaller.source) is not None
    except (SyntaxError, TypeError, _TooLong):  # it is no program any more, or does not end
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.stage_programs", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", default=str(int(time.time())))
    parser.add_argument("--stop-after", type=int, default=5, help="programs that differ")
    options = parser.parse_args()
    failures, counts = 0, Counter[str]()
    for number in range(options.count):
        text = program(seeded(f"{options.seed}/{number}"))
        verdicts = outcomes(text)
        counts.update(f"{name} {outcome.verdict}" for name, outcome in verdicts.items())
        if any(outcome.verdict in ("wrong", "raised") for outcome in verdicts.values()):
            failures += 1
            small = reduce(Program(text, ("",)), _fails).source
            print(f"--- seed {options.seed}/{number}\n{small}\n{found(small)}\n", flush=True)
            if failures == options.stop_after:
                break
    print(f"{number + 1} programs from seed {options.seed}: {failures} differ; {dict(counts)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
