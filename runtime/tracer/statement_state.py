"""The variables that a statement rebinds, as the tracer carries them."""

from __future__ import annotations

from autograph.staging import State
from runtime.control_flow.branches import require_trace
from runtime.iterables.generators import with_consumers
from runtime.tracer.cells import without_shared


def plain(state: State) -> State:
    """The state without variables that are slots, and with that of the loops whose bodies may run in it."""
    trace = require_trace()
    return with_consumers(trace, without_shared(trace, state))
