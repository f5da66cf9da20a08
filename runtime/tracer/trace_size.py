"""How large a trace may be, what is staged after all where it becomes larger, and what is said in the end."""

from __future__ import annotations

import linecache
from dataclasses import replace

from autograph.errors import StagingError, place
from runtime.tracer.builder import refuse
from runtime.tracer.decisions import MAX_OPERATIONS, Decisions, Restart
from runtime.tracer.loop_sites import Loops

#: fewer turns of a `while` loop are no reason for a large trace
MANY_TURNS = 16

_BY_ITSELF = "write its body as a decorated function of its own, and the loop around it in plain Python"


def stage_longest_loop(decisions: Decisions, loops: Loops) -> None:
    """Begin again with the `while` loop of most turns staged; returns where that was tried."""
    site = max(loops.budgets, key=loops.turns.__getitem__, default=None)
    if site is not None and loops.turns[site] > MANY_TURNS:
        if site not in decisions.staged_loops and site not in decisions.unrolled:
            turns = loops.turns[site] - 1
            raise Restart(decisions.with_staged(site), f"it is a loop of more than {turns} turns")


def too_large(decisions: Decisions, loops: Loops) -> None:
    """Begin again with less unrolled. Raises StagingError where that was tried."""
    stage_longest_loop(decisions, loops)
    if decisions.unroll_limit > 2:
        raise Restart(replace(decisions, unroll_limit=2), f"more than {MAX_OPERATIONS} operations")
    site = max(loops.turns, key=loops.turns.__getitem__, default=None)
    if site is None or loops.turns[site] <= MANY_TURNS:
        raise refuse(
            f"the trace has more than {MAX_OPERATIONS} operations, most of them in no loop that is unrolled",
            "decorate the functions that it calls, and call them from a plain one: what a decorated "
            "function calls becomes part of its own trace",
        )
    why, hint = "All that it runs over, or tests, is known while tracing", "run over an array or a range, or "
    kept = decisions.unrolled.get(site)
    if kept is not None:
        at = "" if kept.line is None else f" (line {kept.line})"
        why, hint = f"It cannot be staged: {kept.why}{at}", ""
    text = linecache.getline(site.file, site.line)  # the statement: a loop's own instruction is at its items
    raise place(
        StagingError(
            f"the trace has more than {MAX_OPERATIONS} operations: "
            f"this loop is unrolled, {loops.turns[site]} times until here. {why}",
            line=site.line,
            column=len(text) - len(text.lstrip()) + 1,
            hint=hint + _BY_ITSELF,
        ),
        site.file,
    )
