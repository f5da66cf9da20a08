"""The long run: `python -m tests.random_programs --count N --seed S`.

Makes N random programs, runs each plain, converted and decorated on both engines, and compares. Prints
every failing program, made smaller, and at the end how many were refused, for which reasons, and which
features the refused ones had. The exit status is 1 when a program was different.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import multiprocessing
import re
import sys
from collections import Counter
from typing import Any

from tests.differential import ENGINES
from tests.random_programs.choices import seeded
from tests.random_programs.generator import generate
from tests.random_programs.idioms import IDIOMS, generate_idioms
from tests.random_programs.program import Program
from tests.random_programs.properties import Verdict, is_sound, judge
from tests.random_programs.reduce import reduce
from tests.random_programs.scope import FEATURES

CHUNK = 250


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first program")
    parser.add_argument("--family", choices=["mixed", "typed", "idioms"], default="mixed")
    engines = [*ENGINES, "convert", "jax"]
    parser.add_argument("--engine", action="append", choices=engines, help="by default all but jax")
    parser.add_argument("--features", help="only these, separated by commas")
    parser.add_argument("--without", help="none of these features, separated by commas")
    parser.add_argument("--failures", type=int, default=10, help="stop after so many")
    parser.add_argument("--budget", type=int, default=14, help="statements per program, about")
    parser.add_argument(
        "--refusal", help="print, made smaller, programs refused for reasons with these words"
    )
    parser.add_argument("--show", action="store_true", help="only print the programs")
    parser.add_argument("--whole", action="store_true", help="do not make failing programs smaller")
    options = parser.parse_args()
    if options.show:
        for seed in range(options.seed, options.seed + options.count):
            print(f"# program {seed}\n{make(seed, options)}")
        return 0
    report = run_chunks(options)
    report.show()
    return 1 if report.failures else 0


def make(seed: int, options: argparse.Namespace) -> Program:
    """The program of a number: in a mixed run, every third is one of idioms."""
    names = frozenset(options.features.split(",") if options.features else IDIOMS) & frozenset(IDIOMS)
    parts = sorted(names - frozenset((options.without or "").split(",")))
    if parts and (options.family == "idioms" or options.family == "mixed" and seed % 3 == 2):
        return generate_idioms(seed, parts)
    allowed = frozenset(options.features.split(",") if options.features else FEATURES)
    allowed -= frozenset((options.without or "").split(","))
    return generate(seeded(seed), options.budget, allowed)


class Report:
    """Counts, by engine."""

    def __init__(self) -> None:
        self.statuses: Counter[tuple[str, str]] = Counter()
        self.reasons: Counter[str] = Counter()
        self.with_feature: Counter[str] = Counter()
        self.refused_with_feature: Counter[str] = Counter()
        self.failures = 0

    def add(self, engine: str, program: Program, verdict: Verdict) -> None:
        self.statuses[engine, verdict.status] += 1
        self.with_feature.update(program.features)
        if verdict.status == "refused":
            self.reasons[verdict.head] += 1
            self.refused_with_feature.update(program.features)
        self.failures += verdict.status == "different"

    def merge(self, other: Report) -> None:
        for name in ("statuses", "reasons", "with_feature", "refused_with_feature"):
            getattr(self, name).update(getattr(other, name))
        self.failures += other.failures

    def show(self) -> None:
        print("\nengine   status      programs")
        for (engine, status), count in sorted(self.statuses.items()):
            share = count / sum(n for (e, _), n in self.statuses.items() if e == engine)
            print(f"{engine:8} {status:10} {count:8} {share:7.1%}")
        if self.reasons:
            print("\nreasons of refusals")
        for reason, count in self.reasons.most_common(25):
            print(f"{count:6}  {reason}")
        shares = {f: self.refused_with_feature[f] / n for f, n in self.with_feature.items()}
        most = sorted(shares, key=lambda f: -shares[f])[:12]
        if self.reasons:
            print("refused most: " + ", ".join(f"{f} {shares[f]:.0%}" for f in most))


def run_chunks(options: argparse.Namespace) -> Report:
    """Run in child processes, so that a crash names its program and does not end the run."""
    context = multiprocessing.get_context("spawn")
    report = Report()
    start, end = options.seed, options.seed + options.count
    while start < end and report.failures < options.failures:
        stop = min(start + CHUNK, end)
        results, at = context.SimpleQueue(), context.Value("q", start)
        child = context.Process(target=run_chunk, args=(options, start, stop, results, at))
        child.start()
        while child.is_alive() and results.empty():
            child.join(0.2)
        if results.empty():
            print(f"# the process died at program {at.value}\n{make(at.value, options)}", flush=True)
            report.failures += 1
            start = at.value + 1
        else:
            report.merge(results.get())
            start = stop
        child.join()
        print(f"... {start - options.seed} programs, {report.failures} failures", file=sys.stderr, flush=True)
    return report


def run_chunk(options: argparse.Namespace, start: int, stop: int, results: Any, at: Any) -> None:
    faulthandler.enable()
    gc.freeze()  # modules stay: to go over them again and again took a sixth of the time
    gc.set_threshold(5000, 20, 50)
    report = Report()
    for seed in range(start, stop):
        at.value = seed
        program = make(seed, options)
        for engine in options.engine or ["convert", *ENGINES]:
            verdict = judge(program, (engine,))
            report.add(engine, program, verdict)
            refused = options.refusal and verdict.status == "refused" and options.refusal in verdict.head
            report.failures += bool(refused)
            if verdict.status == "different" or refused:
                show_failure(seed, engine, program, verdict, options)
        if report.failures >= options.failures:
            break
    results.put(report)


def show_failure(
    seed: int, engine: str, program: Program, verdict: Verdict, options: argparse.Namespace
) -> None:
    """Print a failing program as small as it gets."""
    reason = verdict.reason if options.whole else smallest(program, engine, verdict).reason
    print(f"# program {seed}, engine {engine}\n{reason}\n{'-' * 80}", flush=True)


def smallest(program: Program, engine: str, verdict: Verdict, seconds: float = 60) -> Verdict:
    """The verdict on the smallest program that fails for the same reason."""
    if verdict.reason.startswith("did not end"):  # each step would take as long
        return verdict
    kind = kind_of(verdict)

    def fails(candidate: Program) -> bool:
        if not is_sound(candidate):
            return False
        found = judge(candidate, (engine,))
        return found.status == verdict.status and kind_of(found) == kind

    return judge(reduce(program, fails, seconds=seconds), (engine,))


def kind_of(verdict: Verdict) -> str:
    """What must stay the same while a program is made smaller.

    >>> kind_of(Verdict("different", "exception: expected raised ValueError: 'a' 3, got returned 3"))
    'exception: expected raised ValueError:  #, got returned #'
    """
    first = verdict.head if verdict.status == "refused" else verdict.reason.partition("\n")[0]
    return re.sub(r"-?\d+(\.\d*)?", "#", re.sub(r"'[^']*'", "", first))[:80]
