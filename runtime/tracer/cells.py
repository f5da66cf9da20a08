"""Variables that several functions share, as a trace knows them: globals, and cells of closures.

Python writes them with no hook. So code that runs in a trace says where it has stored to one (marks:
`autograph/passes/mark_variables.py`), and each store is a fact from there on, and an operation if it is
outside. They are static places, and no state of a statement:

    def walk(k):
        nonlocal depth
        depth += 1
        if k > 0:
            walk(k - 1)     # changes `depth`; nothing in this `if` assigns it
        depth -= 1

A call that makes such variables says so, too: a block leaves nothing in those that were made in it, but for
what a function holds that lives on (`watch_leaving`). Variables that closures only read are state of the
statements that assign them; they are static places where a block leaves a function that has one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import CellType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined
from autograph.records import record
from autograph.staging import State
from runtime.graph import Value
from runtime.graph.liveness import walk_blocks
from runtime.ops.template import plain_items
from runtime.tracer.builder import Staged, current
from runtime.tracer.spec import Choice
from runtime.tracer.static_places import Frame, SharedPlace, TraceGlobals, Variable, made_in_trace

if TYPE_CHECKING:
    from runtime.graph import Block
    from runtime.tracer.static_places import TraceBase


class SharedVariables:
    """The globals and cells of one trace."""

    def __init__(self, trace: TraceBase) -> None:
        self.trace = trace
        self.cells: dict[int, Variable] = {}  # by the id of the cell

    # -- marks ----------------------------------------------------------------------------------------

    def made(self, read: Callable[[], Any]) -> None:
        """A call has made the variables that `read` reads."""
        for name, cell in _variables_of(read):
            self._make(name, cell, is_marked=True)

    def stored(self, read: Callable[[], Any]) -> None:
        """The variable that `read` reads was bound or unbound."""
        ((_, cell),) = _variables_of(read)
        self.store(self.cells[id(cell)])

    def store(self, place: SharedPlace) -> None:
        """Converted code has just bound or unbound it: a fact from here on, and an operation."""
        before = self.trace.heap.held(place)
        if self.learn(place):
            place.record(place.content(), not isinstance(before, Undefined | Choice))

    def learn(self, place: SharedPlace) -> bool:
        """What Python finds there is a fact; is it another one?"""
        heap = self.trace.heap
        before, value = heap.held(place), place.content()
        if value is before or (isinstance(value, Undefined) and isinstance(before, Undefined)):
            return False
        heap.learn_static(place, value)
        return True

    def is_marked(self, cell: CellType) -> bool:
        return id(cell) in self.cells and self.cells[id(cell)].is_marked

    # -- other cells ----------------------------------------------------------------------------------

    def _make(self, name: str, cell: CellType, is_marked: bool = False) -> Variable:
        place = self.cells[id(cell)] = Variable(name, self.trace, None, cell, is_marked)
        self.trace.heap.origins.meet(place)
        return place

    def place_of(self, name: str, cell: CellType) -> Variable:
        """A variable around a function that was made during the trace, with what it holds now."""
        place = self.cells.get(id(cell))
        if place is None:
            place = self._make(name, cell)
            if is_left_behind(self.trace, place.first):
                place.show(Undefined(name))
            frames, value = self.trace.frames, place.content()
            around = [f for k, f in enumerate(frames) if is_made_in(self.trace, frames[k:], value)]
            count = around[-1].began + 1 if around else 0
            self.trace.heap.make_known(place, count, value)
        self.learn(place)
        return place

    def leave(self, name: str, cell: CellType, frame: Frame) -> None:
        """This block leaves a function with this variable: it is known around, if the block has made it."""
        heap = self.trace.heap
        place = self.cells.get(id(cell)) or self._make(name, cell)
        if not heap.origins.is_before(place, frame.began):
            heap.make_known(place, frame.began, Undefined())
            heap.learn_static(place, place.content())


def _variables_of(read: Callable[[], Any]) -> list[tuple[str, CellType]]:
    assert isinstance(read, FunctionType)
    return list(zip(read.__code__.co_freevars, read.__closure__ or (), strict=True))


# -- the state of statements ------------------------------------------------------------------------------


@record(slots=False, frozen=False, eq=False)
class OwnVariables:
    """Variables that are state of a statement, and static places that it may rebind."""

    cells: tuple[CellType, ...]
    shared: tuple[SharedPlace, ...]

    def get(self) -> tuple[Any, ...]:
        return tuple([cell.cell_contents for cell in self.cells])

    def set(self, values: tuple[Any, ...]) -> None:
        for cell, value in zip(self.cells, values, strict=True):
            cell.cell_contents = value


def without_shared(trace: TraceBase, state: State) -> State:
    """The state of a statement in converted code, without variables that functions share."""
    get: Any = state.get
    if not isinstance(get, FunctionType) or not isinstance(get.__globals__, TraceGlobals):
        return state
    cells = dict(zip(get.__code__.co_freevars, get.__closure__ or (), strict=True))
    own: dict[str, CellType] = {}
    shared: list[SharedPlace] = []
    for name in state.names:
        if name not in cells:
            shared.append(trace.environment.global_place(get.__globals__.module, name))
        elif trace.shared.is_marked(cells[name]):
            shared.append(trace.shared.cells[id(cells[name])])
        else:
            own[name] = cells[name]
    if not shared:
        return state
    variables = OwnVariables(tuple(own.values()), tuple(shared))
    return State(tuple(own), variables.get, variables.set)


def shared_by(state: State) -> list[SharedPlace]:
    """The globals and cells that a statement may rebind, as far as its own function says so."""
    return [place for part in _parts_of(state) if isinstance(part, OwnVariables) for place in part.shared]


def _covered_by(state: State) -> set[int]:
    """The ids of the cells that a statement's state gets and sets."""
    found: set[int] = set()
    for part in _parts_of(state):
        found.update(map(id, part.cells if isinstance(part, OwnVariables) else (part,)))
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


# -- functions that a block leaves ------------------------------------------------------------------------


def watch_leaving(trace: TraceBase, values: Sequence[Any], frame: Frame, state: State) -> None:
    """The variables of functions that this block made, and leaves among the values, are joined around it.

    What a variable holds that was there before stays in the variable.
    """
    for name, cell in _cells_beside(state, values):
        if is_made_in(trace, [frame], contents_of(cell)):
            trace.shared.leave(name, cell, frame)


def watch_landing(trace: TraceBase, values: Sequence[Any], frames: Sequence[Frame], state: State) -> None:
    """The same of the body of a `try` and the blocks in it, which a handler may be reached from.

    Elsewhere in the body functions may store to their variables, so the handler is given each.
    """
    for name, cell in _cells_beside(state, values):
        if trace.shared.is_marked(cell) or is_made_in(trace, frames, contents_of(cell)):
            trace.shared.leave(name, cell, frames[0])


def _cells_beside(state: State, values: Sequence[Any]) -> list[tuple[str, CellType]]:
    """The variables around functions among the values, but for those that are state of the statement."""
    cells = cells_of(values)
    own = _covered_by(state) if cells else ()
    return [(name, cell) for name, cell in cells if id(cell) not in own]


def cells_of(items: Iterable[Any]) -> list[tuple[str, CellType]]:
    """The cells, with names, of functions made during the trace that can be reached from these values."""
    found: dict[int, tuple[str, CellType]] = {}
    waiting, seen = list(items), set[int]()
    for item in waiting:  # grows meanwhile
        if id(item) in seen or isinstance(item, Staged):
            continue
        seen.add(id(item))
        waiting += _parts(item)
        for name, cell in closure_of(item):
            if id(cell) not in found:
                found[id(cell)] = (name, cell)
                waiting.append(contents_of(cell))
    return list(found.values())


def _parts(item: Any) -> Iterable[Any]:
    if isinstance(item, tuple | list | dict):
        return plain_items(item)
    if type(item) in (set, frozenset, deque):
        return item
    if isinstance(item, Choice):
        return item.values
    if isinstance(item, MethodType):
        return (item.__func__, item.__self__)
    if isinstance(item, partial):
        return (item.func, item.args, item.keywords)
    if isinstance(item, type):
        return _methods_made_inside(item)
    outside = getattr(current(), "outside", None)
    return (type(item),) if outside is not None and type(item) in outside.classes.inside else ()


def _methods_made_inside(cls: type) -> list[Any]:
    """The functions of a class that was made during the trace, and of its bases."""
    found = [value for base in cls.__mro__ for value in vars(base).copy().values() if made_in_trace(value)]
    return [getattr(value, "fget", getattr(value, "__func__", value)) for value in found]


def contents_of(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return Undefined("a variable")


def closure_of(function: Any) -> list[tuple[str, CellType]]:
    """The variables around a function that was made during the trace."""
    if not isinstance(function, FunctionType) or not isinstance(function.__globals__, TraceGlobals):
        return []
    return list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def is_made_in(trace: TraceBase, frames: Sequence[Frame], value: Any) -> bool:
    """Was the value, or a part of it, made in the block of the first of these frames, or in one inside?"""
    trace.references.finish_parts(value)
    blocks = [block for frame in frames for block in walk_blocks(frame.block)]
    return any(_defines(block, part) for part in _made_parts(trace, value) for block in blocks)


def is_left_behind(trace: TraceBase, value: Any) -> bool:
    """Was the value, or a part of it, made in a block that is over?

    A variable that nobody reads after a statement is no part of its state: it holds what a block left in it.
    """
    trace.references.finish_parts(value)
    blocks = [trace.body, *trace.blocks]
    parts = list(_made_parts(trace, value))
    return any(not any(_defines(block, part) for block in blocks) for part in parts)


def _made_parts(trace: TraceBase, value: Any) -> Iterator[Value]:
    """The graph values of which a value is made."""
    reference = value if isinstance(value, Staged) else trace.references.staged(value)
    if reference is not None:
        yield reference.value
    elif isinstance(value, tuple | Choice):
        for part in value if isinstance(value, tuple) else (value.tag, *value.values):
            yield from _made_parts(trace, part)


def _defines(block: Block, value: Value) -> bool:
    return value in block.params or any(value in op.outputs for op in block.operations)
