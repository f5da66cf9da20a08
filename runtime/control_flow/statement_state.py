"""The variables that a statement rebinds, as the tracer carries them."""

from __future__ import annotations

from typing import Any

from autograph.staging import State
from runtime.control_flow.branches import NO_STATE
from runtime.tracer.trace import Trace, require_trace


def _bound_globals(state: State) -> tuple[Any, ...]:
    """The values of the variables; a global among them that has none yet is refused."""
    try:
        return state.get()
    except NameError as error:
        raise require_trace().refuse(
            f"the global `{error.name}` is assigned under a staged condition, and has no value before",
            "give it a value first, at module level",
            error.name,
        ) from None


def plain(state: State) -> State:
    """The state without composite names: the tracer watches attributes and items itself."""
    original = with_consumers(require_trace(), state)
    state = State(original.names, lambda: _bound_globals(original), original.set)
    keep = [i for i, name in enumerate(state.names) if name.isidentifier()]
    if len(keep) == len(state.names):
        return state
    if not keep:
        return NO_STATE

    def set_some(values: tuple[Any, ...]) -> None:
        everything = list(state.get())
        for i, value in zip(keep, values, strict=True):
            everything[i] = value
        state.set(tuple(everything))

    def get_some() -> tuple[Any, ...]:
        everything = state.get()
        return tuple(everything[i] for i in keep)

    return State(tuple(state.names[i] for i in keep), get_some, set_some)


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
