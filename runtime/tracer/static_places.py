"""What functions share with the world: attributes of objects from outside, globals, variables of closures.

They are *static places* of a trace, iterators from outside too. What they hold is a fact of the shadow heap
(`heap/places.py`), as of any attribute. A store to one is an operation that performs it on the real object in
each run. Those of classes: `objects/class_state.py`.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import field
from types import CellType
from typing import TYPE_CHECKING, Any

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined
from autograph.records import record
from runtime.graph import Block, Value
from runtime.guards.paths import Cell, Global, Path
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import ShadowHeap
from runtime.tracer.builder import Builder
from runtime.tracer.decisions import Decisions
from runtime.tracer.spec import maybe_absent
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

    What the rooms above know of the same attempt is put in by the class that is made (stage/attempt.py).
    """

    outside: parts.Outside  # outside/outside.py: the world outside
    environment: parts.Environment  # outside/outside.py: globals and cells
    containers: parts.Containers  # objects/containers.py: the containers that a run knows
    references: parts.References  # objects/references.py: the objects that a run knows
    shared: parts.Shared  # cells.py: variables that functions share
    calls: parts.Calls  # control_flow/recursion.py: functions of the graph
    caches: Any  # calls/caches.py: functions that keep their results
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


class TraceGlobals(dict[str, Any]):
    """The globals of one module as one trace sees them."""

    def __init__(self, trace: TraceBase, module: dict[str, Any]) -> None:
        super().__init__()
        self.trace = trace
        self.module = module
        self.held: set[str] = set()  # names that are in the storage unless the trace deletes them
        if "__name__" in module:  # a class takes it from the storage, for its `__module__`
            dict.__setitem__(self, "__name__", module["__name__"])

    def __getitem__(self, name: str) -> Any:
        value = self.peek(name)
        if isinstance(value, Undefined):
            if name not in self.module:  # a builtin, as long as no global hides it
                self.trace.outside.definitions.guard_absent(self.module, name)
            raise KeyError(name)
        return value

    def peek(self, name: str) -> Any:
        """The trace-time value, ``Undefined(name)`` where there is none."""
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        if name in self.held or name not in self.module:
            return Undefined(name)
        return self.trace.outside.import_value(self.module[name], Global(self.module, name))

    def put(self, name: str, value: Any) -> None:
        dict.__setitem__(self, name, value)


def made_in_trace(value: Any) -> bool:
    """A function that converted code defined under a trace: what is free in it are the trace's own values."""
    value = getattr(value, "__func__", value)
    value = getattr(value, "fget", value)
    return isinstance(value, types.FunctionType) and isinstance(value.__globals__, TraceGlobals)


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
