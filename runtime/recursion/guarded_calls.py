"""Graph functions that change what is around them, called inside a ``try``: they return what they raise.

A handler sees what the function changed before it raised, and only the function's own body knows how far
it came. So the body is a ``try`` of its own, whose handler gives the exception as a result, beside what the
places hold by then; and the call raises it again where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from autograph.staging import State
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import certain, identical
from runtime.handlers.exceptions import protected, raise_again
from runtime.handlers.raised import Caught
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: what a body returned, and what it raised; one of them is missing
Ending = tuple[Any, Any]


def ending_of(trace: Trace, call: Callable[[], Any]) -> Ending:
    """How the body ends."""
    held: list[Any] = [Undefined("the result"), None]

    def body() -> None:
        held[0] = call()

    def on_error(caught: Caught) -> None:
        held[1] = trace.wrap(caught.value)

    def set_all(values: tuple[Any, ...]) -> None:
        held[:] = values

    ending = State(("returned", "raised"), lambda: tuple(held), set_all)
    protected(trace, body, on_error, ending, refusals="hand over")
    return held[0], held[1]


def continued(trace: Trace, ending: Ending) -> Any:
    """What the call gives its caller: the result, or the exception raised again."""
    returned, raised = ending

    def fail() -> None:
        error = next(e for e in raised.values if e is not None) if isinstance(raised, Choice) else raised
        raise_again(trace, Caught(error.value, None))

    if raised is not None:
        branch(identical(raised, None), lambda: None, fail)
    return certain(returned)
