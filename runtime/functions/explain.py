"""``f.explain()``: which traces a function has and why, what became of its statements, what runs where."""

from __future__ import annotations

import html
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autograph.errors import AutographError
from runtime.functions.recorded_lines import Gone, Lines, recording_lines, revive
from runtime.functions.signature import key_of
from runtime.functions.statements import Statement, statements_of
from runtime.graph import Block, Graph
from runtime.tracer.decisions import Control

if TYPE_CHECKING:
    from runtime.functions.concrete import ConcreteFunction


@dataclass(frozen=True)
class TraceExplanation:
    """What there is to know about one trace."""

    signature: str
    reason: str
    statements: list[Statement]
    guards: list[str]
    inputs: list[str]  # what is read from outside at each call
    constants: str  # why numbers among the arguments are constants
    engine: str
    engine_reason: str | None
    cache: str  # what became of machine code on disk
    kernels: list[str]  # operations that machine code leaves to NumPy
    slow_ways: list[str]  # what it left to NumPy in some runs, or to one thread, though it need not

    def __str__(self) -> str:
        lines = [self.signature, f"  made because: {self.reason}"]
        if self.constants:
            lines.append(f"  Python numbers among the arguments are constants: {self.constants}")
        lines += [f"  guard: {guard}" for guard in self.guards]
        lines += [f"  read at each call: {path}" for path in self.inputs]
        lines += listing(self.statements)
        lines.append(f"  engine: {self.engine}" + (f" ({self.engine_reason})" if self.engine_reason else ""))
        if self.cache:
            lines.append(f"  machine code: {self.cache}")
        if self.kernels:
            lines.append(f"  NumPy runs: {', '.join(self.kernels)}")
        lines += [f"  slow: {way}" for way in self.slow_ways]
        return "\n".join(lines)


@dataclass(frozen=True)
class Explanation:
    """What `Function.explain` returns: prints as text, and holds the same as data."""

    name: str
    traces: list[TraceExplanation] = field(default_factory=list)
    refused: str = ""
    refused_statements: list[Statement] = field(default_factory=list)
    fallback: bool = False

    @property
    def statements(self) -> list[Statement]:
        """The statements of the last trace, or of the attempt that was refused."""
        return self.refused_statements if self.refused else self.traces[-1].statements if self.traces else []

    def __str__(self) -> str:
        if self.refused:
            runs = "it runs as plain Python" if self.fallback else "a call raises this error"
            return "\n".join(
                [f"{self.name}: refused; {runs}", *listing(self.refused_statements), self.refused]
            )
        if not self.traces:
            return f"{self.name}: not traced yet; call it, or explain(*args)"
        count = len(self.traces)
        parts = [f"{self.name}: {count} trace{'s' * (count != 1)}"]
        parts += [f"trace {number}: {trace}" for number, trace in enumerate(self.traces, 1)]
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def listing(statements: list[Statement]) -> list[str]:
    """The statements line by line, under the names of their functions where there are several."""
    functions = list(dict.fromkeys((s.file, s.function) for s in statements))
    lines = []
    for file, function in functions:
        if len(functions) > 1:
            lines.append(f"  {function}, {os.path.basename(file)}:")
        lines += [f"  {s}"[2:] for s in statements if (s.file, s.function) == (file, function)]
    return lines


def explanation(name: str, traces: Sequence[ConcreteFunction]) -> Explanation:
    """What is known of a function by its traces."""
    return Explanation(name, [explain_trace(concrete) for concrete in traces])


def refused(name: str, error: AutographError, lines: Lines, fallback: bool) -> Explanation:
    """What is known of a function that cannot be staged."""
    place = (error.file, error.line) if error.file is not None and error.line is not None else None
    statements = statements_of(Graph(name, Block()), lines, set(), place)
    return Explanation(name, [], str(error), statements, fallback)


def explain_trace(concrete: ConcreteFunction) -> TraceExplanation:
    compiled = concrete.compiled
    fallbacks = getattr(compiled.executable, "fallbacks", ())
    by_kernel = {(place.file, place.line, name) for name, place in fallbacks if place is not None}
    return TraceExplanation(
        signature=concrete.signature,
        reason=concrete.reason,
        statements=statements_of(concrete.graph, lines_of(concrete), by_kernel),
        guards=[str(guard) for guard in concrete.guards if not guard.routine],
        inputs=[str(path) for path in concrete.paths],
        constants=concrete.decisions.static_reason if concrete.decisions.static_numbers else "",
        engine=compiled.engine,
        engine_reason=compiled.reason,
        cache=str(getattr(compiled.executable, "cache", "")),
        kernels=list(dict.fromkeys(name for name, _ in fallbacks)),
        slow_ways=[
            *[str(way) for way in getattr(compiled.executable, "slow_ways", ()) if way.calls],
            *[
                f"{at and f'line {at.line}: '}this `prange` runs in one thread: {why}"
                for at, why in getattr(compiled.executable, "in_one_thread", ())
            ],
        ],
    )


def lines_of(concrete: ConcreteFunction) -> Lines | None:
    """The lines that ran while this was traced, found by tracing it once more; None where its arguments or
    what it read from outside are not there any more."""
    if concrete.lines is None and concrete.again is not None:
        lines: Lines = Counter()
        try:
            leaves: list[Any] = []
            arguments = revive(concrete.kept)
            for arg in (*concrete.opened(arguments[0]), *arguments[1].values()):
                key_of(arg, leaves)
            if not concrete.check(leaves):
                return None
            with recording_lines(lines):
                concrete.again(*arguments)
        except (Gone, Control, AutographError):
            return None
        concrete.lines = lines
    return concrete.lines
