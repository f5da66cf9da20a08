"""Places outside local variables that converted code can write: attributes, globals, cells.

A slot knows how to read and set its *trace-time* value, and how a store to it is recorded as an operation
that performs it on the real object in each run. Inside staged control flow the tracer notes which slots a
body wrote, and carries them like variables.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from types import CellType
from typing import Any

from autograph.operators import Undefined
from autograph.records import record
from runtime.guards.paths import Cell, Global, Path
from runtime.tracer.spec import Choice, maybe_absent
from runtime.tracer.trace_base import Frame, Slot


@record(slots=False, frozen=False, eq=False)
class OutsideAttribute(Slot):
    """An attribute of an object from outside: its trace-time value lives in the trace's overlay."""

    owner: Any
    attribute: str
    was_there: bool = field(init=False, default=False)  # surely, before the store that is under way

    def before(self) -> Any:
        value = self.get()
        self.was_there = not isinstance(value, Undefined | Choice)
        return value

    def get(self) -> Any:
        overlay = self.trace.overlay
        if self.key in overlay:
            return overlay[self.key]
        return self.trace.outside.attributes.read_attribute(self.owner, self.attribute)

    def set(self, value: Any) -> None:
        self.trace.overlay[self.key] = value

    def record(self) -> None:
        value = self.get()
        owner = self.trace.outside.object_value(self.owner)
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [owner], None, name=self.attribute)
        else:
            kind = type(self.owner)
            known = {"there": True} if self.was_there else {}
            self.trace.emit_effect("store_attr", [owner], value, name=self.attribute, cls=kind, **known)


@record(slots=False, frozen=False, eq=False)
class IteratorPlace(Slot):
    """How many items were taken from an iterator of which only a run knows that."""

    number: Any = 0

    def get(self) -> Any:
        return self.number

    def set(self, value: Any) -> None:
        self.number = value


@record(slots=False, frozen=False, eq=False)
class SharedSlot(Slot):
    """A global or a cell, which Python writes with no hook: who stores to it says so afterwards."""

    known: Any = None  # what it held when somebody last said so
    was_there: bool = field(init=False, default=False)  # as in OutsideAttribute

    def __post_init__(self) -> None:
        self.known = self.get()

    def before(self) -> Any:
        return self.known

    def stored(self) -> None:
        """Converted code has just bound or unbound it."""
        before, value = self.known, self.get()
        if value is before or (isinstance(value, Undefined) and isinstance(before, Undefined)):
            return
        self.known, self.was_there = value, not isinstance(before, Undefined | Choice)
        self.trace.note(self, before)
        self.record()

    def require_value(self, value: Any) -> None:
        """Reads of what comes from outside are not guarded: it has a value, or it has none."""
        if isinstance(self.known, Undefined) and maybe_absent(value):
            raise self.trace.refuse(
                f"the global `{self.name}` is assigned under a staged condition, and has no value before",
                "give it a value first, at module level",
                self.name,
            )


@record(slots=False, frozen=False, eq=False)
class GlobalSlot(SharedSlot):
    path: Path | None = None
    namespace: Any = None  # a TraceGlobals
    variable: str = ""

    def get(self) -> Any:
        return self.namespace.peek(self.variable)

    def set(self, value: Any) -> None:
        self.require_value(value)
        self.known = value
        self.namespace.put(self.variable, value)

    def record(self) -> None:
        assert isinstance(self.path, Global)
        namespace = self.trace.constant_object(self.path.namespace)
        value = self.get()
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_item", [namespace], None, key=self.variable)
        else:
            known = {"there": True} if self.was_there else {}
            self.trace.emit_effect("store_item", [namespace], value, key=self.variable, **known)


def key_of(cell: CellType) -> Hashable:
    return ("variable", id(cell))


@record(slots=False, frozen=False, eq=False)
class CellSlot(SharedSlot):
    """A variable of closures, by the cell that converted code sees."""

    cell: CellType = field(default_factory=CellType)
    path: Cell | None = None  # of the cell outside that it stands for
    birth: Frame | None = None  # the block in which it was made; None for the outermost, and outside
    is_marked: bool = False  # those who store to it say so; else the owner's statements have it as state
    absent: Any = None  # what it holds where there is nothing

    def __post_init__(self) -> None:
        self.absent = Undefined(self.name)
        super().__post_init__()

    def get(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return self.absent

    def set(self, value: Any) -> None:
        if self.path is not None:
            self.require_value(value)
        self.known = value
        if value is not self.absent and not (self.path is not None and isinstance(value, Undefined)):
            self.cell.cell_contents = value
        elif self.get() is not self.absent:
            del self.cell.cell_contents

    def born(self) -> Frame | None:
        """The innermost block under way in which it was made; what a block leaves is of that around."""
        frame = self.birth
        while frame is not None and not any(frame is one for one in self.trace.frames):
            frame = frame.outer
        return frame

    def is_of_this_block(self) -> bool:
        frames = self.trace.frames
        return self.path is None and self.born() is (frames[-1] if frames else None)

    def record(self) -> None:
        if self.path is None:
            return
        cell = self.trace.constant_object(self.path.cell)
        value = self.get()
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [cell], None, name="cell_contents")
        else:
            self.trace.emit_effect("store_attr", [cell], value, name="cell_contents")
