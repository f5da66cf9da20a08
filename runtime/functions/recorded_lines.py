"""Tracing once more to see which lines run: what `explain()` knows beyond the graph.

The arguments of a traced call are not kept alive: arrays are remembered by dtype and shape, objects weakly.

>>> kept = example_of([np.ones(1000), 2.5])
>>> [item if isinstance(item, float) else item.shape for item in revive(kept)]
[(1000,), 2.5]
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias

import numpy as np

from autograph.code_objects import is_body, is_converted_code
from autograph.loading import is_loaded
from runtime import tensor
from runtime.ops.instances import are_atoms

_PLAIN = frozenset({bool, int, float, complex, str, type(None)})
#: (file, line) -> how often it ran
Lines: TypeAlias = "Counter[tuple[str, int]]"


class Gone(Exception):
    """An argument does not exist any more."""


class Weak:
    """An object that may have gone meanwhile."""

    def __init__(self, value: Any) -> None:
        self.kind = type(value).__name__
        try:
            self.get: Callable[[], Any] = weakref.ref(value)
        except TypeError:  # it cannot be referred to weakly, and is not kept alive for this
            self.get = lambda: None


def example_of(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """Something that traces like ``value`` and holds little memory."""
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)][1]
    made = _example(value, memo)
    memo[id(value)] = (value, made)
    return made


def _example(value: Any, memo: dict[int, Any]) -> Any:
    kind: Any = type(value)
    if kind is np.ndarray:
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    if is_loaded(tensor) and kind is tensor.Tensor:
        return tensor.Tensor(example_of(value.numpy(), memo))
    if kind is list and _PLAIN.issuperset(map(type, value)):
        return [*value]
    if kind is list:
        return value.copy() if are_atoms(value) else [example_of(item, memo) for item in value]
    if kind is tuple or hasattr(kind, "_make"):
        items = [example_of(item, memo) for item in value]
        return tuple(items) if kind is tuple else kind._make(items)
    if kind is dict:
        return {key: example_of(item, memo) for key, item in value.items()}
    if isinstance(value, bool | int | float | complex | str | bytes | np.generic | type | range | type(None)):
        return value
    if kind.__module__.startswith("runtime."):  # specs and types
        return value
    return Weak(value)


def revive(kept: Any, memo: dict[int, Any] | None = None) -> Any:
    """The arguments again, from `example_of`. Raises Gone."""
    memo = {} if memo is None else memo
    if isinstance(kept, Weak):
        value = kept.get()
        if value is None:
            raise Gone
        return value
    kind: Any = type(kept)
    if id(kept) in memo:
        return memo[id(kept)]
    if kind is list:
        plain = _PLAIN.issuperset(map(type, kept))
        made: Any = [*kept] if plain else [revive(item, memo) for item in kept]
    elif kind is tuple or hasattr(kind, "_make"):
        items = [revive(item, memo) for item in kept]
        made = tuple(items) if kind is tuple else kind._make(items)
    elif kind is dict:
        made = {key: revive(item, memo) for key, item in kept.items()}
    else:
        return kept
    memo[id(kept)] = made
    return made


@contextmanager
def recording_lines(lines: Lines) -> Iterator[None]:
    """Count the lines of converted code that run in this thread; a debugger's own hook rests meanwhile.

    The bodies of statements, each a closure, are counted under minus the line where the statement begins.
    """

    def on_line(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            lines[frame.f_code.co_filename, frame.f_lineno] += 1
        return on_line

    def on_call(frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if not is_converted_code(code):
            return None
        if is_body(code) and any(line and line > code.co_firstlineno for _, _, line in code.co_lines()):
            lines[code.co_filename, -code.co_firstlineno] += 1
        return on_line(frame, "line", None)

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)
