"""A block of staged control flow: the Python code that fills it is run; variables that a statement rebinds.

What the block leaves in variables is the outcome; the statement joins the outcomes of its blocks. What it
leaves elsewhere is a fact of the shadow heap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph.errors import AutographError
from autograph.records import record
from autograph.staging import State
from runtime.graph import Block
from runtime.heap.shadow import Moment
from runtime.tracer.cells import watch_leaving, without_shared
from runtime.tracer.decisions import Control, PathEnded
from runtime.tracer.elements import holds_opaque
from runtime.tracer.faults import unrefused
from runtime.tracer.static_places import Frame
from runtime.tracer.trace import Trace, require_trace


@record(slots=False, frozen=False, eq=False)
class Outcome:
    """What tracing a block gave: its end, and what the runner returned."""

    block: Block
    result: Any

    @property
    def ended(self) -> bool:
        return self.block.ends == "never"


def trace_block(
    trace: Trace,
    block: Block,
    run: Callable[[], Any],
    before: Moment,
    state: State | None = None,
) -> Outcome:
    """Run Python code that fills ``block``; what it shares with others holds what it held, afterwards.

    ``before``: where the statement began. With ``state``, that of the statement, whose variables the caller
    looks after, ``run`` gives a tuple of what they hold now.
    """
    frame = Frame(block, before.references)
    trace.frames.append(frame)
    result = None
    try:
        with trace.into(block):
            try:
                result = run()
                if state is not None:
                    watch_leaving(trace, [*result, *_kept(trace, before)], frame, state)
            except PathEnded:
                block.ends = "never"
            except (AutographError, Control):
                raise
            except Exception as error:  # noqa: BLE001  any error of the user's code is staged
                trace.raise_at_run_time(unrefused(error))
    finally:
        trace.frames.pop()
        trace.heap.end_block(block, frame.began)
    return Outcome(block, result)


def _kept(trace: Trace, before: Moment) -> Iterator[Any]:
    """What the innermost block has stored that no load finds."""
    yield from filter(holds_opaque, trace.heap.learned_here())
    for change in trace.heap.stored_on_paths(before, before.references, [trace.block]):
        yield from change.values


def plain(state: State) -> State:
    """The state without shared variables, and with that of the loops whose bodies may run in it."""
    trace = require_trace()
    return with_consumers(trace, without_shared(trace, state))


def with_consumers(trace: Trace, state: State) -> State:
    """``state``, and that of the loops whose bodies run in the middle of the statement."""
    if not trace.consuming:
        return state
    parts = (state, *trace.consuming)

    def get() -> tuple[Any, ...]:
        return tuple([value for part in parts for value in part.get()])

    def set_(values: tuple[Any, ...]) -> None:
        begin = 0
        for part in parts:
            part.set(tuple(values[begin : begin + len(part.names)]))
            begin += len(part.names)

    return State(tuple([name for part in parts for name in part.names]), get, set_)
