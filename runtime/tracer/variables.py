"""Variables of functions that are being traced, as the closures in them share them: `nonlocal`.

Python writes them with no hook. The statements of the function that owns a variable have it in their state.
But a call may change a variable of which the function that makes the call knows nothing:

    def walk(k):
        nonlocal depth
        depth += 1
        if k > 0:
            walk(k - 1)     # changes `depth`; nothing in this `if` assigns it
        depth -= 1

So the trace compares, at the end of each block of staged control flow, what variables around the functions
that it has entered held at its start. Those that the state does not cover are carried like attributes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from autograph.records import record
from autograph.staging import State
from runtime.graph.liveness import walk_blocks
from runtime.ops.template import plain_items
from runtime.outside.environment import TraceGlobals
from runtime.tracer.builder import Staged
from runtime.tracer.slots import PolledSlot, Slot
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.graph.core import Block, Value
    from runtime.tracer.slots import Frame
    from runtime.tracer.trace import Trace


@record(slots=False, frozen=False, eq=False)
class Variable(Slot):
    """One of them, by its closure cell."""

    cell: CellType
    initial: Any = None  # what it held when the trace met it

    @staticmethod
    def of(trace: Trace, name: str, cell: CellType) -> Variable:
        return Variable(trace, key_of(cell), name, cell, contents_of(cell))

    def get(self) -> Any:
        return contents_of(self.cell)

    def set(self, value: Any) -> None:
        if not isinstance(value, Undefined):
            self.cell.cell_contents = value
        elif not isinstance(self.get(), Undefined):
            del self.cell.cell_contents


class LeavingVariable(Variable):
    """One of a function that a block made and leaves behind: on other paths nobody reads it."""

    def get(self) -> Any:
        value = contents_of(self.cell)
        return Undefined() if isinstance(value, Undefined) else value


def watch_variables(trace: Trace, cells: Sequence[tuple[str, CellType]]) -> None:
    """Changes of these variables are noted from here on."""
    for name, cell in cells:
        slot = Variable.of(trace, name, cell)
        if slot.key not in trace.variables:
            trace.variables[slot.key] = slot
            if is_left_behind(trace, slot.get()):
                slot.set(Undefined(name))
            value = slot.get()
            for position, frame in enumerate(trace.frames):
                if is_made_in(trace, trace.frames[position:], value):
                    frame.covered.add(slot.key)  # the variable is of a call inside the block
                frame.variables[slot.key] = value


def poll_variables(trace: Trace, frame: Frame) -> None:
    """Note what has changed since the block of this frame began."""
    for key, start in frame.variables.items():
        slot = trace.variables[key]
        if key not in frame.covered and not same_contents(slot.get(), start):
            trace.noted.setdefault(key, (slot, start))
            frame.written.setdefault(key, (slot, start))


def held_unseen(trace: Trace) -> dict[Hashable, Any]:
    """What the globals, cells and variables hold that Python writes with no hook."""
    return {slot.key: slot.get() for slot in (*trace.polled, *trace.variables.values())}


def give_unseen_back(trace: Trace, held: dict[Hashable, Any]) -> None:
    """They hold this again, and those that the trace met since what they held then."""
    unseen: list[PolledSlot | Variable] = [*trace.polled, *trace.variables.values()]
    for slot in unseen:
        before = held.get(slot.key, slot.initial)
        if not same_contents(slot.get(), before):
            slot.set(before)


def watch_leaving(trace: Trace, values: Sequence[Any], frames: Sequence[Frame], state: State | None) -> None:
    """The variables of functions that one of these blocks made, and leaves among the values, are slots."""
    own: set[Hashable] | None = None
    for name, cell in _cells_in(trace, values):
        key, value = key_of(cell), contents_of(cell)
        own = covered_by(state) if own is None else own
        for frame in frames:
            known = key in frame.variables and key not in frame.covered
            if key in own or known or not is_made_in(trace, [frame], value):
                continue
            slot = trace.variables.get(key)
            if not isinstance(slot, LeavingVariable):
                slot = trace.variables[key] = LeavingVariable(trace, key, name, cell)
            frame.written[key] = (slot, Undefined())


def _cells_in(trace: Trace, values: Sequence[Any]) -> list[tuple[str, CellType]]:
    """The variables around functions that were made during the trace, and around those that these hold."""
    found: dict[int, tuple[str, CellType]] = {}
    waiting, seen = list(values), set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple | list | dict | Choice):
            if id(value) in seen:  # it may hold itself
                continue
            seen.add(id(value))
            waiting += value.values if isinstance(value, Choice) else plain_items(value)
        for name, cell in closure_of(value):
            if id(cell) not in found:
                found[id(cell)] = (name, cell)
                waiting.append(contents_of(cell))
    return list(found.values())


def key_of(cell: CellType) -> Hashable:
    return ("variable", id(cell))


def contents_of(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return Undefined("a variable")


def same_contents(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, Undefined) and isinstance(b, Undefined))


def closure_of(function: Any) -> list[tuple[str, CellType]]:
    """The variables around a function that was made during the trace; those around others are polled."""
    if not isinstance(function, FunctionType) or not isinstance(function.__globals__, TraceGlobals):
        return []
    return list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def is_made_in(trace: Trace, frames: Sequence[Frame], value: Any) -> bool:
    """Was the value, or a part of it, made in the block of the first of these frames, or in one inside?"""
    if isinstance(value, tuple | Choice):
        parts = value if isinstance(value, tuple) else (value.tag, *value.values)
        return any(is_made_in(trace, frames, part) for part in parts)
    reference = value if isinstance(value, Staged) else trace.references.staged(value)
    if reference is not None:
        blocks = [block for frame in frames for block in walk_blocks(frame.block)]
        return any(_defines(block, reference.value) for block in blocks)
    if not trace.outside.is_local(value):
        return False
    birth, _ = trace.outside.births[id(value)]
    return any(birth is frame for frame in frames)


def is_left_behind(trace: Trace, value: Any) -> bool:
    """Was the value, or a part of it, made in a block that is over?

    A variable that nobody reads after a statement is no part of its state: it holds what a block left in it.
    """
    under_way = [trace.body, *trace.blocks]
    waiting, seen = [value], set[int]()
    for part in waiting:  # grows meanwhile
        if id(part) in seen:  # it may hold itself
            continue
        seen.add(id(part))
        reference = part if isinstance(part, Staged) else trace.references.staged(part)
        if reference is not None:
            closed = [nested for block in under_way for op in block.operations for nested in op.blocks]
            if any(_defines(block, reference.value) for nested in closed for block in walk_blocks(nested)):
                return True
        elif isinstance(part, Choice):
            waiting += (part.tag, *part.values)
        elif isinstance(part, tuple | list | dict):
            waiting += plain_items(part)
        elif trace.outside.is_local(part):
            _, block = trace.outside.births[id(part)]
            if not any(block is one for one in under_way):
                return True
    return False


def _defines(block: Block, value: Value) -> bool:
    return value in block.params or any(value in op.outputs for op in block.operations)


def covered_by(state: State | None) -> set[Hashable]:
    """The keys of the variables that a statement's state gets and sets."""
    found: set[Hashable] = set()

    def visit(item: Any) -> None:
        if isinstance(item, State):
            visit(item.get)
        elif isinstance(item, tuple):  # states that were put together
            for part in item:
                visit(part)
        elif isinstance(item, FunctionType):
            for cell in item.__closure__ or ():
                if isinstance(item.__globals__, TraceGlobals):
                    found.add(key_of(cell))
                else:  # a function of ours around the state's own
                    visit(contents_of(cell))

    if state is not None:
        visit(state.get)
    return found
