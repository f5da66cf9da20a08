"""The static places: attributes of objects from outside, globals, variables of closures, iterators.

What they hold is a fact of the shadow heap (`heap/places.py`), as of any attribute. A store to one is an
operation that performs it on the real object in each run. Those of classes: `objects/class_state.py`.
"""

from __future__ import annotations

from dataclasses import field
from types import CellType
from typing import Any

from autograph.operators import Undefined
from autograph.records import record
from runtime.guards.paths import Cell, Global, Path
from runtime.heap.places import StaticPlace
from runtime.tracer.spec import maybe_absent
from runtime.tracer.trace_base import TraceBase


@record(slots=False, frozen=False, eq=False)
class OutsideAttribute(StaticPlace):
    """An attribute of an object from outside."""

    trace: TraceBase
    owner: Any
    attribute: str

    def entry(self) -> Any:
        return self.trace.outside.attributes.read_attribute(self.owner, self.attribute)

    def record(self, value: Any, was_there: bool) -> None:
        owner = self.trace.outside.object_value(self.owner)
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [owner], None, name=self.attribute)
        else:
            kind, known = type(self.owner), {"there": True} if was_there else {}
            self.trace.emit_effect("store_attr", [owner], value, name=self.attribute, cls=kind, **known)


class IteratorPlace(StaticPlace):
    """How many items were taken from an iterator of which only a run knows that."""

    outlives_block = True

    def entry(self) -> Any:
        return 0


@record(slots=False, frozen=False, eq=False)
class SharedPlace(StaticPlace):
    """A global or a variable of closures, which Python writes with no hook: who stores to it says so."""

    is_shown = True

    trace: TraceBase
    path: Path | None  # of what it stands for outside
    first: Any = field(init=False)  # what it held when the trace met it

    def __post_init__(self) -> None:
        self.first = self.content()

    def entry(self) -> Any:
        return self.first

    def content(self) -> Any:
        """What Python finds there now."""
        raise NotImplementedError

    def accept(self, value: Any) -> Any:
        """Reads of what comes from outside are not guarded: it has a value, or it has none."""
        if self.path is not None and isinstance(self.content(), Undefined) and maybe_absent(value):
            raise self.trace.refuse(
                f"the global `{self.name}` is assigned under a staged condition, and has no value before",
                "give it a value first, at module level",
                self.name,
            )
        return value


@record(slots=False, frozen=False, eq=False)
class GlobalPlace(SharedPlace):
    namespace: Any  # a TraceGlobals

    def content(self) -> Any:
        return self.namespace.peek(self.name)

    def show(self, value: Any) -> None:
        self.namespace.put(self.name, value)

    def record(self, value: Any, was_there: bool) -> None:
        assert isinstance(self.path, Global)
        namespace = self.trace.constant_object(self.path.namespace)
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_item", [namespace], None, key=self.name)
        else:
            known = {"there": True} if was_there else {}
            self.trace.emit_effect("store_item", [namespace], value, key=self.name, **known)


@record(slots=False, frozen=False, eq=False)
class Variable(SharedPlace):
    """A variable of closures, by the cell that converted code sees; ``path`` is of the cell outside."""

    cell: CellType
    is_marked: bool = False  # those who store to it say so; else the owner's statements have it as state
    absent: Any = field(init=False)  # what it holds where there is nothing

    def __post_init__(self) -> None:
        self.absent = Undefined(self.name)
        super().__post_init__()

    def content(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return self.absent

    def show(self, value: Any) -> None:
        if value is not self.absent and not (self.path is not None and isinstance(value, Undefined)):
            self.cell.cell_contents = value
        elif self.content() is not self.absent:
            del self.cell.cell_contents

    def record(self, value: Any, was_there: bool) -> None:
        if self.path is None:
            return
        assert isinstance(self.path, Cell)
        cell = self.trace.constant_object(self.path.cell)
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [cell], None, name="cell_contents")
        else:
            self.trace.emit_effect("store_attr", [cell], value, name="cell_contents")
