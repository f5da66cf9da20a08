"""The variables of a statement: those that are its state, and those that are slots."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph.records import record
from autograph.staging import State
from runtime.tracer.cells import cells_of, contents_of, is_made_in
from runtime.tracer.slots import SharedSlot, key_of
from runtime.tracer.trace import Trace
from runtime.tracer.trace_base import Frame
from runtime.tracer.trace_globals import TraceGlobals


@record(slots=False, frozen=False, eq=False)
class OwnVariables:
    """Variables that are state of a statement, and those that it may rebind and that are slots."""

    cells: tuple[CellType, ...]
    shared: tuple[SharedSlot, ...]

    def get(self) -> tuple[Any, ...]:
        return tuple([cell.cell_contents for cell in self.cells])

    def set(self, values: tuple[Any, ...]) -> None:
        for cell, value in zip(self.cells, values, strict=True):
            cell.cell_contents = value


def without_shared(trace: Trace, state: State) -> State:
    """The state of a statement in converted code, without variables that are slots."""
    get: Any = state.get
    if not isinstance(get, FunctionType) or not isinstance(get.__globals__, TraceGlobals):
        return state
    cells = dict(zip(get.__code__.co_freevars, get.__closure__ or (), strict=True))
    own: dict[str, CellType] = {}
    shared: list[SharedSlot] = []
    for name in state.names:
        if name not in cells:
            shared.append(trace.environment.global_slot(get.__globals__.module, name))
        elif trace.shared.is_marked(cells[name]):
            shared.append(trace.shared.slots[key_of(cells[name])])
        else:
            own[name] = cells[name]
    if not shared:
        return state
    variables = OwnVariables(tuple(own.values()), tuple(shared))
    return State(tuple(own), variables.get, variables.set)


def shared_by(state: State) -> list[SharedSlot]:
    """The slots that a statement may rebind, as far as its own function says so."""
    return [slot for part in _parts_of(state) if isinstance(part, OwnVariables) for slot in part.shared]


def covered_by(state: State | None) -> set[Hashable]:
    """The keys of the variables that a statement's state gets and sets."""
    found: set[Hashable] = set()
    for part in () if state is None else _parts_of(state):
        found.update(map(key_of, part.cells if isinstance(part, OwnVariables) else (part,)))
    return found


def _parts_of(item: Any) -> Iterator[OwnVariables | CellType]:
    """What is in a state: states may be put together, and functions of ours stand around them."""
    if isinstance(item, State):
        yield from _parts_of(item.get)
    elif isinstance(item, tuple):
        for part in item:
            yield from _parts_of(part)
    elif isinstance(item, MethodType):
        if isinstance(item.__self__, OwnVariables):
            yield item.__self__
    elif isinstance(item, FunctionType):
        for cell in item.__closure__ or ():
            if isinstance(item.__globals__, TraceGlobals):
                yield cell
            else:
                yield from _parts_of(contents_of(cell))


def watch_leaving(trace: Trace, values: Sequence[Any], frame: Frame, state: State | None) -> None:
    """The variables of functions that this block made, and leaves among the values, are slots.

    What a variable holds that was there before needs no slot: it stays in the variable.
    """
    for name, cell in _cells_beside(state, values):
        if is_made_in(trace, [frame], contents_of(cell)):
            trace.shared.leave(name, cell, frame)


def watch_landing(trace: Trace, values: Sequence[Any], frames: Sequence[Frame], state: State) -> None:
    """The same of the body of a `try` and the blocks in it, which a handler may be reached from.

    Elsewhere in the body functions may store to their variables, so the handler is given each.
    """
    for name, cell in _cells_beside(state, values):
        if trace.shared.is_marked(cell):
            trace.shared.leave(name, cell, frames[0])
            continue
        for frame in frames:
            if is_made_in(trace, [frame], contents_of(cell)):
                trace.shared.leave(name, cell, frame)


def _cells_beside(state: State | None, values: Sequence[Any]) -> list[tuple[str, CellType]]:
    """The variables around functions among the values, but for those that are state of the statement."""
    cells = cells_of(values, in_objects=False)
    own = covered_by(state) if cells else ()
    return [(name, cell) for name, cell in cells if key_of(cell) not in own]
