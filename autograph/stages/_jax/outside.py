"""What was there before a JAX trace began: changing it under a staged condition is refused.

The change would be made once, while JAX traces, with values that mean nothing afterwards. What is outside
is noted when the first converted function of a trace is entered: what its arguments (other than structures
of arrays, which JAX makes anew for each trace) and its enclosing functions hold.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

import jax

from autograph.converted_code import is_body, is_converted_code
from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import aliases
from autograph.stages._jax.tracing import current_trace, is_array, is_own, traces_under_way
from autograph.stages.heap import Heap


@dataclass(frozen=True, slots=True)
class Outside:
    """The objects from before a trace, and the names of variables of functions around."""

    heap: Heap
    free_names: frozenset[str]


_traces: WeakKeyDictionary[Any, Outside] = WeakKeyDictionary()


def note_entry() -> None:
    """Called where a converted function is entered, or a statement staged, while JAX traces."""
    trace = current_trace()
    if trace in _traces or is_own(trace):
        return
    frame = _called_by_jax()
    if frame is not None:
        if not any(outer in _traces for outer in traces_under_way()):
            aliases.forget()
        _traces[trace] = _outside_of(frame)


def _called_by_jax() -> FrameType | None:
    """The outermost converted function since JAX called one."""
    found = None
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not (frame.f_globals.get("__name__") or "").startswith("jax."):
        if is_converted_code(frame.f_code) and not is_body(frame.f_code):
            found = frame
        frame = frame.f_back
    return found


def _outside_of(frame: FrameType) -> Outside:
    code, held = frame.f_code, frame.f_locals
    free = [held[name] for name in code.co_freevars if name in held]
    given = [held[name] for name in code.co_varnames if name in held]
    leaves = [leaf for leaf in jax.tree_util.tree_leaves(given) if not is_array(leaf)]
    return Outside(Heap([*free, *leaves], opaque=is_array), frozenset(code.co_freevars))


def is_outside(owner: Any) -> bool:
    """Was this object there before the traces that are under way?"""
    return any(owner in outside.heap for outside in _under_way())


def is_free(name: str) -> bool:
    """Is this a variable of a function around one that JAX traces?"""
    return any(name in outside.free_names for outside in _under_way())


def _under_way() -> Iterator[Outside]:
    for trace in traces_under_way():
        if trace in _traces:
            yield _traces[trace]


def refuse_change(name: str) -> StagingError:
    """The error that says so."""
    return error_at_frame(
        StagingError,
        f"`{name}` belongs outside the function that JAX traces, and is changed under a staged condition",
        variable=name,
        hint="return the new value, and store it outside the jitted function",
    )
