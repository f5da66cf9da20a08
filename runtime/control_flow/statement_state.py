"""What a statement asks: the variables that it rebinds, as the tracer carries them; the truth of its test."""

from __future__ import annotations

from typing import Any

from autograph.staging import State
from runtime.control_flow import choices
from runtime.tracer.builder import Staged
from runtime.tracer.cells import without_shared
from runtime.tracer.trace import Trace, require_trace
from runtime.types import BOOL


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


def truth(value: Any) -> Any:
    """``bool(value)``: a plain bool, or a staged Python bool."""
    return value if isinstance(value, Staged) and value.type == BOOL else choices.truth(value)
