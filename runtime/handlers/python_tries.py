"""A `try` that stays Python's: its handlers and its `finally` act while tracing only.

The converter leaves a `try` as it is where a `yield` stands in it, a jump leaves its `finally`, or the
function looks at its own frame. What Python code raises in it while it is traced is handled as Python handles
it. What the graph would raise at run time is not: that is refused. And where handlers or a `finally` swallow
what unwinds the trace, the trace is given up after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.errors import AutographError
from runtime.staged.needed_now import JUMP_HINT
from runtime.tracer.decisions import Control, PathEnded

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


_HINTS = {
    "it is an `except*`": "write `except` in its place, and raise single exceptions, no group",
    "a jump leaves its `finally`": JUMP_HINT,
}


class PythonTry:
    """Around a part of such a `try`."""

    def __init__(self, trace: Trace, reason: str) -> None:
        self.trace = trace
        self.reason = reason
        self.raising = 0

    def __enter__(self) -> None:
        self.raising = self.trace.raising

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        trace = self.trace
        if isinstance(error, AutographError) or (
            isinstance(error, Control) and not isinstance(error, PathEnded)
        ):
            trace.given_up = trace.given_up or error
        elif trace.raising != self.raising:
            refusal = trace.refuse(
                "what is raised here at run time would pass the handlers and the `finally` of a `try` that "
                f"cannot be part of the graph: {self.reason}",
                _HINTS.get(
                    self.reason,
                    "handle the exception with try/except in a function of its own, or test for it before",
                ),
            )
            trace.given_up = trace.given_up or refusal
            raise refusal
