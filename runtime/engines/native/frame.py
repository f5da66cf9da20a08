"""Ownership of references, and how a function is left on errors.

A value of reference type (an array, an object) that the function makes has a slot in the *frame*, an array
of pointers; the slot is NULL when the reference was given back or handed on. On an error everything that
the frame still holds is released, so that no path has to know what is alive. Parameters and constants are
borrowed.

An item that is read from a list is *lent*: its reference is the list's as long as nothing runs that could
take it out. Before that the frame takes a reference of its own, which is mostly never. The object that a
number, or the parts of a tuple, were read from is lent as well, where it is put into another list later on.

Each operation that can fail jumps to one error block with its *site*, an index into the user's lines; in
the body of a ``try`` to the pad of its handler (`tries.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from autograph.records import record
from runtime.engines.native.elements import Element
from runtime.engines.native.ir import NULL, FunctionWriter, Label, V, i64
from runtime.engines.native.module import ModuleWriter
from runtime.engines.native.values import ArrayRef, Boxed, Rep, components, element_in, in_register, reference
from runtime.graph import Location, Value
from runtime.ops.item_patterns import base_of
from runtime.types import COMPLEX, OBJECT, ArrayType, NumberType, Type


@record(slots=False)
class Spares:
    """The spare arrays of one type: slots of the frame, and how many of them are in use."""

    slots: range
    count: V
    dims: V


@record(slots=False)
class Failures:
    """The places that jump to a label where something fails: a site, and a block."""

    label: Label
    sites: list[tuple[V, Label]]


class Frame(ModuleWriter):
    """What the function owns."""

    def __init__(self) -> None:
        super().__init__()
        self.sites: list[Location | None] = []
        self.frame = V("ptr", "%frame")
        self.cells = V("ptr", "%cells")

    def begin(self, f: FunctionWriter, failure: V = NULL) -> None:
        """Write another function; ``failure`` is what it returns on an error."""
        super().begin(f)
        self.reps: dict[Value, Rep] = {}
        self.slots: dict[Value, int] = {}
        #: values whose slot holds nothing (False), or holds a reference where some slow way was taken (True)
        self.lent: dict[Value, bool] = {}
        #: how many loops are around what is being written
        self.loops = 0
        self.work: V | None = None  # see `looks.count`
        self.region: V | None = None  # the first iteration of a block, see regions.py
        self.saved: V | None = None  # see `looks.without_gil`
        self.turns: V | None = None  # see `looks.with_turns`
        self.spares: dict[ArrayType, Spares] = {}
        #: numbers and parts of tuples -> what stands for the object that they were read from
        self.objects: dict[Value, Value] = {}
        self.slot_count = 0
        self.cell_count = 1
        self._failures = Failures(f.label("error"), [])
        self._failure = failure

    def finish(self) -> None:
        """Write the error block and make room for the frame."""
        self._error_block()
        entry = self.f.entry.lines
        entry.append(f"%cells = alloca i64, i64 {self.cell_count}, align 8")
        if self.slot_count:
            entry.append(f"%frame = alloca ptr, i64 {self.slot_count}, align 8")
            self.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            entry.append(
                f"call void @llvm.memset.p0.i64(ptr %frame, i8 0, i64 {8 * self.slot_count}, i1 false)"
            )

    def _error_block(self) -> None:
        f = self.f
        if not self._failures.sites:
            f.at(self._failures.label)
            return f.unreachable()
        f.call("void", "rt_fail", (f.params[0], self.failed(self._failures)))
        if self.slot_count:
            f.call("void", "rt_release", (self.frame, i64(self.slot_count)))
        return f.ret(self._failure)

    def code_of(self, type: Type) -> V:
        """See support_calls.ll."""
        if isinstance(type, ArrayType):
            return i64(4)
        if not in_register(type) or type == COMPLEX:
            cls = base_of(type)
            return i64(0) if cls is None else self.object_number(cls, 1)
        if isinstance(type, NumberType):
            return i64({"int": 1, "float": 2, "bool": 3}[type.kind])
        return self.object_number(type.dtype)

    # -- errors ----------------------------------------------------------------------------------------

    def site(self, location: Location | None) -> V:
        if not self.sites or self.sites[-1] is not location:
            self.sites.append(location)
        return i64(len(self.sites) - 1)

    def fail(self, location: Location | None) -> None:
        """An exception is set: leave."""
        self.fail_at(self.site(location))

    def fail_at(self, site: V) -> None:
        if not self.f.block.terminated:
            self._failures.sites.append((site, self.f.block))
            self.f.jump(self._failures.label)

    @contextmanager
    def catching(self) -> Iterator[Failures]:
        """What is written in here jumps to a label of its own where it fails."""
        around, self._failures = self._failures, Failures(self.f.label("pad"), [])
        try:
            yield self._failures
        finally:
            self._failures = around

    def failed(self, failures: Failures) -> V:
        """Go on where these have failed; the site."""
        self.f.at(failures.label)
        site = self.f.phi("i64")
        self.f.complete(failures.label, site, failures.sites)
        return site

    def fail_if(self, condition: V, location: Location | None) -> None:
        failed, fine = self.f.label("failed"), self.f.label("fine")
        self.f.branch(condition, failed, fine, likely=False)
        with self.f.aside(failed):
            self.fail(location)
        self.f.at(fine)

    def impossible(self) -> None:
        """The end of a block that was said to raise."""
        message = self.string("a block that has to raise came to its end")
        self.f.call("void", "PyErr_SetString", (self.symbol("error.SystemError"), message))
        self.fail(None)

    # -- ownership -------------------------------------------------------------------------------------

    def new_slot(self) -> int:
        self.slot_count += 1
        return self.slot_count - 1

    def slot_at(self, slot: int) -> V:
        return self.f.offset(self.frame, i64(slot), "ptr")

    def hold(self, pointer: V, slot: int | None = None) -> int:
        """Put an owned reference into the frame."""
        slot = self.new_slot() if slot is None else slot
        self.f.store(pointer, self.slot_at(slot))
        return slot

    def slot_take(self, slot: int) -> V:
        """Take the reference out of the frame: now the caller owns it."""
        at = self.slot_at(slot)
        pointer = self.f.load("ptr", at)
        self.f.store(NULL, at)
        return pointer

    def release(self, slot: int) -> None:
        self.f.call("void", "Py_DecRef", (self.slot_take(slot),))

    def bind(self, value: Value, rep: Rep) -> None:
        """A value that was just made; where it refers to an object, the reference is owned."""
        self.reps[value] = rep
        pointer = reference(rep)
        if pointer is not None:
            self.slots[value] = self.hold(pointer)

    def element_of(self, value: Value) -> Element:
        """A number, in a register."""
        return element_in(self.reps[value])

    def array_of(self, value: Value) -> ArrayRef:
        rep = self.reps[value]
        assert isinstance(rep, ArrayRef), value
        return rep

    def pointer_of(self, value: Value) -> V:
        """The Python object that stands for anything else."""
        rep = self.reps[value]
        assert isinstance(rep, Boxed), value
        return rep.pointer

    def lend(self, value: Value, rep: Rep, slot: int | None) -> None:
        """A value that was just read from a container; ``slot`` may hold a reference already."""
        self.reps[value] = rep
        if reference(rep) is not None:
            self.slots[value] = self.new_slot() if slot is None else slot
            self.lent[value] = slot is not None

    def lend_object(self, values: tuple[Value, ...], pointer: V, is_tuple: bool) -> None:
        """The object that a number, or the parts of a tuple, are read from."""
        read_from = Value(OBJECT, "tuple" if is_tuple else "number")
        self.lend(read_from, Boxed(pointer), None)
        self.objects.update(dict.fromkeys(values, read_from))

    def keep_object(self, values: tuple[Value, ...], pointer: V, is_tuple: bool) -> None:
        """The object that was made of a number, or of the parts of a tuple, for the next one who wants it."""
        made = Value(OBJECT, "tuple" if is_tuple else "number")
        self.bind(made, Boxed(pointer))
        self.objects.update(dict.fromkeys(values, made))

    def object_of(self, values: tuple[Value, ...], is_tuple: bool) -> V | None:
        """The object that this number, or a tuple of these, was read from: borrowed."""
        read_from = self.objects.get(values[0]) if values else None
        if read_from is None or read_from.hint != ("tuple" if is_tuple else "number"):
            return None
        held = [value for value, other in self.objects.items() if other is read_from]
        return reference(self.reps[read_from]) if held == [*values] else None

    def end_object(self, value: Value) -> None:
        """A value dies, and with it the object that it was read from."""
        read_from = self.objects[value]
        self.objects = {v: other for v, other in self.objects.items() if other is not read_from}
        if read_from in self.lent:
            self.end_lent(read_from)
        else:
            self.own_lent()
            self.release(self.slots[read_from])

    def own_lent(self, but: Collection[Value] = ()) -> None:
        """Before code runs that may change containers: references to what is lent, ``but`` some values."""
        for value in [value for value in self.lent if value not in but]:
            self._own(value)
            del self.lent[value]

    def own_lent_aside(self) -> None:
        """The same on a way that is seldom taken."""
        for value in self.lent:
            self._own(value)
            self.lent[value] = True

    def _own(self, value: Value) -> None:
        pointer, slot, f = reference(self.reps[value]), self.slots[value], self.f
        assert pointer is not None
        f.call("void", "Py_IncRef", (pointer,))
        if self.lent[value]:
            f.call("void", "Py_DecRef", (self.slot_take(slot),))
        self.hold(pointer, slot)

    def end_lent(self, value: Value) -> None:
        """A lent value dies."""
        if not self.lent.pop(value):
            return
        f, held, done = self.f, self.f.label("held"), self.f.label("given_back")
        some = f.compare("icmp ne", f.load("ptr", self.slot_at(self.slots[value])), NULL)
        f.branch(some, held, done, likely=False)
        f.at(held)
        self.own_lent_aside()
        self.release(self.slots[value])
        f.jump(done)
        f.at(done)

    def components(self, value: Value) -> tuple[V, ...]:
        """The registers of a value."""
        return components(self.reps[value])

    def take(self, boxed: tuple[V, bool]) -> int:
        """Hold a reference to the object, in a slot of its own."""
        pointer, owned = boxed
        if not owned:
            self.f.call("void", "Py_IncRef", (pointer,))
        return self.hold(pointer)

    def cell(self, position: int) -> V:
        self.cell_count = max(self.cell_count, position + 1)
        return self.f.offset(self.cells, i64(position), "i64")
