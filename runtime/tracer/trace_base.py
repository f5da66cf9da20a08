"""What a trace is to its static places: the blocks under way, and the parts of the trace."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.errors import StagingError, error_at_frame
from autograph.records import record
from runtime.graph import Block, Value
from runtime.heap.shadow import ShadowHeap
from runtime.tracer.builder import Builder
from runtime.tracer.decisions import Decisions
from runtime.types import OBJECT

if TYPE_CHECKING:
    from runtime.tracer import parts


@record(eq=False)
class Frame:
    """One block of staged control flow under construction."""

    block: Block
    began: int  # how many references were known before its statement


class TraceBase(Builder):
    """The blocks of a trace, and its parts.

    What the rooms above know of the same attempt is put in by the class that is made (runtime/attempt.py).
    """

    outside: parts.Outside  # outside/outside.py: the world outside
    environment: parts.Environment  # outside/environment.py: globals and cells
    containers: parts.Containers  # containers/sites.py: the containers that a run knows
    references: parts.References  # objects/references.py: the objects that a run knows
    shared: parts.Shared  # cells.py: variables that functions share
    calls: parts.Calls  # recursion/calls.py: functions of the graph
    caches: Any  # callees/caches.py: functions that keep their results
    #: (operation, inputs, structure, **attributes): append an effect of a structure with staged leaves
    emit_effect: Callable[..., None]
    append_raise: Callable[[BaseException], None]  # of an exception of the trace

    def __init__(self, decisions: Decisions) -> None:
        super().__init__(Block())
        self.body = self.blocks[0]
        self.decisions = decisions
        self.frames: list[Frame] = []
        self.heap = ShadowHeap(self.blocks)
        self.unfinished: dict[Value, Any] = {}  # objects whose constructors run: objects/references.py

    def constant_object(self, item: Any) -> Value:
        """A constant that stands for a Python object itself, not for a number of its value."""
        return self.constant(item, OBJECT)

    def refuse(self, message: str, hint: str, variable: str | None = None) -> StagingError:
        return error_at_frame(StagingError, message, sys._getframe(1), hint=hint, variable=variable)
