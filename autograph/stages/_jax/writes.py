"""Writes into arrays that somebody else was to see: refused, for JAX's arrays are values.

`x[i] = v` gives the variable `x` a new array. Another variable that names the old one, or the caller of a
function that writes into its parameter, would not see the write, which it would in NumPy.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import jax

from autograph.converted_code import is_body, is_converted_code
from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import paths

_DEEPEST = 60  # calls of one function within each other, under staged conditions


class _Written(threading.local):
    def __init__(self) -> None:
        self.calls: list[_Call] = []


@dataclass(slots=True)
class _Call:
    """A call under way, and the errors that say which parameter it writes into, with the array's type."""

    function: Any
    is_conditional: bool
    writes: list[tuple[StagingError, Any]] = field(default_factory=list)


_written = _Written()


def note(target: Any) -> None:
    """An item of `target` is about to be assigned."""
    frame = _function_frame()
    if frame is None:
        return
    names = [name for name, value in frame.f_locals.items() if value is target]
    if len(names) > 1:
        raise error_at_frame(
            StagingError,
            f"`{names[0]}` and `{names[1]}` are one array, and only one of them would see this assignment",
            variable=names[0],
            hint="make one of them a copy: jnp.copy(...)",
        )
    if _written.calls and names and names[0] in frame.f_code.co_varnames[: _parameters(frame)]:
        error = error_at_frame(
            StagingError,
            f"`{frame.f_code.co_name}` assigns an item of its parameter `{names[0]}` and does not return it,"
            " so that its caller would not see the assignment",
            variable=names[0],
            hint=f"return `{names[0]}`, and assign the result where the function is called",
        )
        _written.calls[-1].writes.append((error, _kind(target)))


def _function_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (is_body(frame.f_code) or not is_converted_code(frame.f_code)):
        frame = frame.f_back
    return frame


def _parameters(frame: FrameType) -> int:
    code = frame.f_code
    return code.co_argcount + code.co_kwonlyargcount


def watched(function: Any, converted: Callable[..., Any]) -> Callable[..., Any]:
    """A function called by converted code: it ends, and gives back the arrays that it writes into."""

    def call(*args: Any, **kwargs: Any) -> Any:
        _refuse_recursion(function)
        here = _Call(function.__code__, paths.inside())
        _written.calls.append(here)
        try:
            result = converted(*args, **kwargs)
        finally:
            _written.calls.pop()
        if here.writes:
            given = {_kind(leaf) for leaf in jax.tree_util.tree_leaves((args, kwargs))}
            returned = {_kind(leaf) for leaf in jax.tree_util.tree_leaves(result)}
            for error, kind in here.writes:
                if kind in given and kind not in returned:
                    raise error
        return result

    return call


def _refuse_recursion(function: Any) -> None:
    calls = [call for call in _written.calls if call.function is function.__code__]
    if len(calls) > _DEEPEST and calls[-1].is_conditional:
        raise error_at_frame(
            StagingError,
            f"`{function.__name__}` calls itself under a condition that is known only at run time",
            variable=function.__name__,
            hint="write it as a loop: JAX has no recursion",
        )


def _kind(leaf: Any) -> Any:
    return (leaf.shape, leaf.dtype) if isinstance(leaf, jax.Array) else None
