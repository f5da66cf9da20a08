"""The variables that a statement rebinds, as the tracer carries them."""

from __future__ import annotations

from typing import Any

from autograph.staging import State
from runtime.control_flow.branches import NO_STATE, require_trace
from runtime.iterables.generators import with_consumers


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
