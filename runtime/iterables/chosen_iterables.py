"""`zip` and `enumerate` of what may be None: what they make belongs to the path that makes it.

    m = None
    while ...:
        if first:
            m = [...]
        for a, b in zip(m, x): ...

So the TypeError of None is raised before, on a path of its own, and the call is made once.
"""

from __future__ import annotations

from typing import Any

from runtime.control_flow.branches import branch
from runtime.staged.containers import StagedContainer
from runtime.tracer.builder import Staged, emit
from runtime.tracer.implied import narrowed
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import ArrayType


def without_none(trace: Trace, function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of `zip` or `enumerate`, after the TypeError that one of them raises where it is None."""
    known = list(args)
    for position, arg in enumerate(args):
        if not isinstance(arg, Choice):
            is_array = isinstance(arg, Staged) and isinstance(arg.type, ArrayType) and arg.type.ndim > 0
            if not is_array and not isinstance(arg, list | tuple | range | StagedContainer):
                break  # which may raise first
            continue
        nones = [place for place in trace.implied.positions(arg) if arg.values[place] is None]
        if len(nones) == 1 and len(trace.implied.positions(arg)) > 1:
            test = emit("py.eq", [arg.tag, nones[0]])
            trace.implied.note_position(test, arg, nones[0])
            branch(test, lambda: function(*[()] * position, None), lambda: None)
        known[position] = narrowed(arg)
    return tuple(known)
