"""Places outside local variables that converted code can write: attributes, items, globals, cells.

A slot knows how to read and set its *trace-time* value, and how a store to it is recorded as an operation
that performs it on the real object in each run. Inside staged control flow the tracer notes which slots a
body wrote, and carries them like variables.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from autograph.records import record
from runtime.graph import Block
from runtime.guards.paths import Cell, Global, Path
from runtime.ops.instances import attribute, delete_attribute, set_attribute
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


@record(slots=False, frozen=False, eq=False)
class Slot:
    """One writable place. ``key`` tells places apart; ``name`` is how people call it."""

    trace: Trace
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


@record(slots=False, frozen=False, eq=False)
class OutsideAttribute(Slot):
    """An attribute of an object from outside: its trace-time value lives in the trace's overlay."""

    owner: Any
    attribute: str

    def get(self) -> Any:
        overlay = self.trace.overlay
        if self.key in overlay:
            return overlay[self.key]
        return self.trace.read_outside(self.owner, self.attribute)

    def set(self, value: Any) -> None:
        self.trace.overlay[self.key] = value

    def record(self) -> None:
        value = self.get()
        owner = self.trace.object_value(self.owner)
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [owner], None, name=self.attribute)
        else:
            kind = type(self.owner)
            self.trace.emit_effect("store_attr", [owner], value, name=self.attribute, cls=kind)


@record(slots=False, frozen=False, eq=False)
class LocalAttribute(Slot):
    """An attribute of an object that was made during the trace."""

    attribute: str

    @property
    def owner(self) -> Any:
        return self.trace.outside.local(self.key[1])  # type: ignore[index]  # no reference: see joins.py

    def get(self) -> Any:
        return attribute(self.owner, self.attribute, Undefined(self.name))

    def set(self, value: Any) -> None:
        if self.attribute == "args" and isinstance(value, Choice):  # Python makes a tuple of what it is given
            there = [one for one in value.values if not isinstance(one, Undefined)]
            value = there[0] if len(there) == 1 else value  # an exception without them was not made
        if isinstance(value, Undefined):
            delete_attribute(self.owner, self.attribute)
        else:
            set_attribute(self.owner, self.attribute, value)

    def record(self) -> None:
        real = self.trace.outside.real.get(self.key[1])  # type: ignore[index]
        if real is None:
            return
        value = self.get()
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [real], None, name=self.attribute)
        else:
            self.trace.emit_effect("store_attr", [real], value, name=self.attribute)


@record(slots=False, frozen=False, eq=False)
class Contents(Slot):
    """The whole contents of a list or dict, as a fresh list or dict of the same items."""

    container: Any

    def get(self) -> Any:
        return self.container.copy()

    def set(self, value: Any) -> None:
        if type(value) is not type(self.container):
            if self.trace.containers.require_next(self.container):
                return  # whatever it holds
            self.trace.containers.require(self.container)
            raise self.trace.refuse(
                f"`{self.name}` gets different lengths or keys on different paths of staged control flow",
                "use an array of known size, or change the container outside the staged statement",
            )
        if isinstance(value, dict):
            self.container.clear()
            self.container.update(value)
        else:
            self.container[:] = value

    def record(self) -> None:
        origin = self.trace.origin_of(self.container)
        if origin is not None:
            self.trace.emit_effect("replace_contents", [origin], self.get())


@record(slots=False, frozen=False, eq=False)
class PolledSlot(Slot):
    """A global or a cell: Python writes it with no hook, so the tracer compares it now and then."""

    known: Any = None
    initial: Any = field(init=False, default=None)  # what it held when the trace met it

    def __post_init__(self) -> None:
        self.initial = self.known

    def before(self) -> Any:
        return self.known

    def changed(self) -> bool:
        value = self.get()
        return value is not self.known and not (
            isinstance(value, Undefined) and isinstance(self.known, Undefined)
        )


@record(slots=False, frozen=False, eq=False)
class GlobalSlot(PolledSlot):
    path: Path | None = None
    namespace: Any = None  # a TraceGlobals
    variable: str = ""

    def get(self) -> Any:
        return self.namespace.peek(self.variable)

    def set(self, value: Any) -> None:
        self.known = value
        self.namespace.put(self.variable, value)

    def record(self) -> None:
        assert isinstance(self.path, Global)
        namespace = self.trace.constant_object(self.path.namespace)
        value = self.get()
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_item", [namespace], None, key=self.variable)
        else:
            self.trace.emit_effect("store_item", [namespace], value, key=self.variable)


@record(slots=False, frozen=False, eq=False)
class CellSlot(PolledSlot):
    path: Path | None = None
    substitute: Any = None  # the cell that converted code sees

    def get(self) -> Any:
        try:
            return self.substitute.cell_contents
        except ValueError:
            return Undefined(self.name)

    def set(self, value: Any) -> None:
        self.known = value
        if isinstance(value, Undefined):
            del self.substitute.cell_contents
        else:
            self.substitute.cell_contents = value

    def record(self) -> None:
        assert isinstance(self.path, Cell)
        cell = self.trace.constant_object(self.path.cell)
        value = self.get()
        if isinstance(value, Undefined):
            self.trace.emit_effect("delete_attr", [cell], None, name="cell_contents")
        else:
            self.trace.emit_effect("store_attr", [cell], value, name="cell_contents")


@record(slots=False, frozen=False, eq=False)
class Frame:
    """One block of staged control flow under construction: the slots it wrote, with their values before."""

    block: Block
    written: dict[Hashable, tuple[Slot, Any]] = field(default_factory=dict)
    variables: dict[Hashable, Any] = field(default_factory=dict)  # what those of closures held at its start
    covered: set[Hashable] = field(default_factory=set)  # those that the statement's state takes care of
    heads: dict[Hashable, Slot] = field(default_factory=dict)  # slots that it begins with other values of
    copies: list[tuple[Any, Any]] = field(default_factory=list)  # containers, and what they held at its start
    is_straight: bool = False  # the block of a `with`: it runs once, wherever the code around does
