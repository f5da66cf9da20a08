"""What functions with a cache (`functools.lru_cache`) read beside their arguments.

    @lru_cache
    def scaled(n):
        return n * SCALE  # Python keeps what the first call read; a trace reads SCALE again

Right is a trace where that never changes. So all of it is noted: in a trace, which refuses what changes
between the calls of a run; and with the function, which is refused in the trace that finds it changed.
"""

from __future__ import annotations

import enum
import re
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import StagingError
from autograph.operators import Undefined
from autograph.records import record
from runtime.graph import Block, Graph, Operation, Value, walk
from runtime.graph.effects import Memory, effects_of, fields_of, refers_to_memory
from runtime.graph.liveness import walk_blocks
from runtime.guards.descriptions import names_in
from runtime.guards.paths import Argument, Attribute, Cell, Constant, Global, Guard, Item, Path, equals_number
from runtime.tracer.builder import Staged
from runtime.tracer.cells import contents_of
from runtime.types import ArrayType, ContainerType, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: values that never change
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, enum.Enum)
#: arrays of more bytes are not compared at each call
MAX_BYTES = 1 << 16
_WRITE_NO_ARRAY = ("store_attr", "store_item", "print", "raise", "assert")
#: by function, what its results rest on: from all traces that came to an end
_records: weakref.WeakKeyDictionary[Any, dict[tuple[Path, str], Guard]] = weakref.WeakKeyDictionary()


@record(slots=False, frozen=False, eq=False)
class Reading:
    """What one cached function reads in one trace."""

    function: Any
    birth: Block | None  # where it was made; None: outside
    call: StagingError  # whose place is that of the first call
    earlier: set[Operation]  # done once, before it had any result: they change nothing that it has read
    meets_objects: bool  # which it did not make
    names: set[str] = field(default_factory=set)  # that its code, and what it calls, mentions
    #: by identity: what a cell held, the name of its variable
    cells: dict[int, tuple[types.CellType, str, Any]] = field(default_factory=dict)
    values: dict[Value, None] = field(default_factory=dict)  # that it uses, or takes facts of

    @property
    def name(self) -> str:
        return str(self.function.__wrapped__.__name__)


class Readings:
    """Those of the cached functions that one trace calls."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.known: dict[Any, Reading] = {}
        self.under_way: list[Reading] = []

    def begin(self, function: Any, birth: Block | None) -> Reading:
        """A call begins."""
        reading = self.known.get(function)
        if reading is None:
            is_new = birth is not None and not list(self.trace.loops)
            earlier = {op for block in self.trace.blocks for op in walk(block)} if is_new else set()
            reading = Reading(function, birth, self.trace.refuse("", ""), earlier, birth is not None)
            self.known[function] = reading
        self.under_way.append(reading)
        return reading

    def enter(self, function: types.FunctionType) -> None:
        """Code runs that one of them called, or its own."""
        for reading in self.under_way:
            reading.names |= names_in(function.__code__)
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
                self._compare(reading, name, cell)

    def again(self, function: Any) -> None:
        """The result of a call before is taken again."""
        reading = self.known[function]
        for cell, name, _ in list(reading.cells.values()):
            self._compare(reading, name, cell)

    def _compare(self, reading: Reading, name: str, cell: types.CellType) -> None:
        held = contents_of(cell)
        held = held.value if isinstance(held, Staged) else None if isinstance(held, Undefined) else held
        *_, before = reading.cells.setdefault(id(cell), (cell, name, held))
        if held is not before:
            raise self._changed(reading, name)

    def end(
        self,
        reading: Reading,
        operations: Sequence[Operation],
        arguments: tuple[Any, ...],
        asked: Iterable[Value],
    ) -> None:
        """The call has ended: these are its operations; ``asked``: of what it took facts."""
        parts = list(_parts(arguments))
        reading.meets_objects |= any(not isinstance(part, (Staged, *PLAIN)) for part in parts)
        given = {part.value for part in parts if isinstance(part, Staged)}
        blocks = [block for op in operations for inner in op.blocks for block in walk_blocks(inner)]
        blocks += [function.body for function in self.trace.calls.functions]
        made = {value for op in operations for value in op.outputs}
        made |= {param for block in blocks for param in block.params}
        for value in (*[value for op in operations for value in op.inputs], *asked):
            if value in made or value in given or value in reading.values or is_table(value.type):
                continue
            reading.values[value] = None
            if not self._is_there(value, reading.birth):
                raise self._changed(reading, value.hint)

    def _is_there(self, value: Value, birth: Block | None) -> bool:
        """Was it known where the function was made? If not, it is another one in each turn of a loop."""
        blocks, birth = self.trace.blocks, birth or self.trace.body
        inner = blocks[blocks.index(birth) + 1 :] if birth in blocks else ()
        return not any(value in block.params or value.owner in block.operations for block in inner)

    def check(self, graph: Graph, leaves_of_call: Callable[[], Sequence[Any]]) -> None:
        """The trace is complete. Raises StagingError where what one of them reads changes, or has changed.

        No class may be watched any more: what the arguments hold is read.
        """
        if not self.known:
            return
        memory = Memory(graph, distinct_params=True)
        for reading in self.known.values():
            changed = self._what_changes(reading, graph, memory)
            if changed is not None:
                raise self._changed(reading, changed)
            if reading.birth is None:
                self._keep(reading, leaves_of_call())

    def _what_changes(self, reading: Reading, graph: Graph, memory: Memory) -> str | None:
        for slot, _ in self.trace.noted.values():
            own = False
            if not own and reading.names & set(re.findall(r"[^\W\d]\w*", slot.name)[-1:]):
                return slot.name
        for op in graph.operations():
            if op in reading.earlier:
                continue
            name = stored_attribute(op)
            if name in reading.names and reading.meets_objects:
                return name
            for value in reading.values:
                if any(memory.may_alias(value, written) for written in _written(op)):
                    return value.hint or f"a {value.type}".partition("[")[0]
        return None

    def _keep(self, reading: Reading, leaves: Sequence[Any]) -> None:
        """Note with the function what its results rest on; none of that may have changed."""
        for guard in _records.get(reading.function, {}).values():
            if not guard.holds([]):
                raise self._changed(reading, str(guard.path))
        outside = self.trace.outside
        for each in outside.inputs:
            if each.value in reading.values:
                outside.guards.append(self._guard(reading, each.path, each.path.fetch(leaves)))
        kept = _records.setdefault(reading.function, {})
        for guard in outside.guards:
            if reading.names & set(_words(guard.path)):
                paths = [_rooted(path, leaves) for path in (guard.path, *guard.others)]
                made = Guard(paths[0], guard.condition, guard.expected, guard.routine, paths[1:])
                kept[made.path, made.expected] = made

    def _guard(self, reading: Reading, path: Path, held: Any) -> Guard:
        if isinstance(held, bool | int | float | complex | np.generic):
            return Guard(path, equals_number(held), repr(held))
        if type(held) is not np.ndarray or held.nbytes > MAX_BYTES:
            raise self._changed(reading, str(path))
        kept = held.copy()
        same = lambda now: _is_same_array(now, kept)
        return Guard(
            path, lambda source, names: f"{names.of(same)}({source})", "an array with the items it had"
        )

    def _changed(self, reading: Reading, what: str) -> StagingError:
        name, what = reading.name, what or "an array"
        error = self.trace.refuse(
            f"`{name}` has a cache (lru_cache) and reads `{what}`, which may change, and Python keeps the "
            "result of the first call",
            f"pass `{what}` as an argument, or call {name}.__wrapped__",
            name,
        )
        at = reading.call
        error.file, error.line, error.source_line = at.file, at.line, at.source_line
        error.column, error.end_column = at.column, at.end_column
        return error


def is_table(kind: Type) -> bool:
    """Does it hold the results of a cached function that calls itself?"""
    sites = kind.sites if isinstance(kind, ContainerType) else ()
    return any(isinstance(site, tuple) and site[0] == "cache" for site in sites)


def stored_attribute(op: Operation) -> str | None:
    """The attribute of an object of the run to which an operation stores."""
    if op.name not in ("object.setattr", "object.delattr"):
        return None
    return next((field.name for field in fields_of(op)), None)


def _written(op: Operation) -> list[Value]:
    """What the operation may write; one that runs unknown code may write the arrays it gets."""
    effects = effects_of(op)
    if effects.ordered and not effects.writes and op.name not in _WRITE_NO_ARRAY:
        return [value for value in op.inputs if isinstance(value.type, ArrayType)]
    return [op.inputs[k] for k in effects.writes if refers_to_memory(op.inputs[k].type)]


def _is_same_array(now: Any, kept: np.ndarray[Any, Any]) -> bool:
    return now.dtype == kept.dtype and now.shape == kept.shape and bool(now.tobytes() == kept.tobytes())


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    else:
        yield value


def _words(path: Path) -> Iterator[str]:
    """The names on a path that code mentions to go along it."""
    if isinstance(path, Attribute | Item):
        yield from _words(path.base)
    if isinstance(path, Attribute | Global | Cell):
        yield path.name


def _rooted(path: Path, leaves: Sequence[Any]) -> Path:
    """The same path where the arguments are those of this call."""
    if isinstance(path, Argument):
        return Constant(leaves[path.index], path.name)
    if isinstance(path, Attribute | Item):
        last = path.name if isinstance(path, Attribute) else path.key
        return type(path)(_rooted(path.base, leaves), last)
    return path
