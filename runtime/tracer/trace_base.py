"""What a trace is to its slots and variables: the blocks under way, and what they have written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from autograph.errors import StagingError, error_at_frame
from autograph.records import record
from runtime.graph import Block, Value
from runtime.tracer.builder import Builder
from runtime.tracer.decisions import Decisions
from runtime.types import OBJECT

if TYPE_CHECKING:
    from runtime.tracer import parts


@record(slots=False, frozen=False, eq=False)
class Slot:
    """One writable place. ``key`` tells places apart; ``name`` is how people call it."""

    trace: TraceBase
    key: Hashable
    name: str

    def get(self) -> Any:
        """The value while tracing, ``Undefined(name)`` where there is none."""
        raise NotImplementedError

    def before(self) -> Any:
        """The value as the enclosing block knows it, before a store that is under way."""
        return self.get()

    def set(self, value: Any) -> None:
        """Change the value while tracing; the real object stays as it is."""
        raise NotImplementedError

    def record(self) -> None:
        """Append the operation that stores the current value in the real object, if there is one."""

    def is_of_this_block(self) -> bool:
        """Is it part of what the block under way makes, so that nobody around needs to hear of it?"""
        return False


@record(slots=False, frozen=False, eq=False)
class Frame:
    """One block of staged control flow under construction: the slots it wrote, with their values before."""

    block: Block
    written: dict[Hashable, tuple[Slot, Any]] = field(default_factory=dict)
    outer: Frame | None = None  # the block around
    leaving: set[Hashable] = field(default_factory=set)  # variables made in it, of functions that it leaves
    heads: dict[Hashable, Slot] = field(default_factory=dict)  # slots that it begins with other values of


class TraceBase(Builder):
    """The blocks of a trace, what they write, and its parts.

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
        self.overlay: dict[Hashable, Any] = {}
        self.unfinished: dict[Value, Any] = {}  # objects whose constructors run: objects/references.py
        self.noted: dict[Hashable, tuple[Slot, Any]] = {}  # slots written so far, their values before

    def note(self, slot: Slot, before: Any) -> None:
        if slot.is_of_this_block():
            return
        self.noted.setdefault(slot.key, (slot, before))
        if self.frames:
            self.frames[-1].written.setdefault(slot.key, (slot, before))

    def constant_object(self, item: Any) -> Value:
        """A constant that stands for a Python object itself, not for a number of its value."""
        return self.constant(item, OBJECT)

    def refuse(self, message: str, hint: str, variable: str | None = None) -> StagingError:
        return error_at_frame(StagingError, message, sys._getframe(1), hint=hint, variable=variable)
