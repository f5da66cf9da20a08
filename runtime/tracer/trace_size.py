"""How large a trace may be, and what is staged after all where it becomes larger."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from runtime.tracer.decisions import Restart

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: a larger trace is a loop unrolled by mistake
MAX_OPERATIONS = 20_000
#: fewer turns of a `while` loop are no reason for a large trace
MANY_TURNS = 16


def stage_longest_loop(trace: Trace) -> None:
    """Begin again with the `while` loop of most turns staged; returns where that was tried."""
    if trace.python_loops:
        site = max(trace.python_loops, key=trace.python_loops.__getitem__)
        turns, _ = trace.python_loops[site]
        if turns > MANY_TURNS and site not in trace.decisions.staged_loops | trace.decisions.unrolled:
            raise Restart(trace.decisions.with_staged(site), f"it is a loop of more than {turns - 1} turns")


def too_large(trace: Trace) -> None:
    """Begin again with less unrolled. Raises StagingError where that was tried."""
    stage_longest_loop(trace)
    if trace.decisions.unroll_limit > 2:
        raise Restart(replace(trace.decisions, unroll_limit=2), f"more than {MAX_OPERATIONS} operations")
    raise trace.refuse(
        f"the trace has more than {MAX_OPERATIONS} operations",
        "a Python loop is unrolled here; write it over a staged range or array",
    )
