"""The world outside a trace: what it read, under which guards; globals and cells as converted code sees them.

`importing.py` says what becomes of a value from outside, `attributes.py` what reads and stores of attributes
mean, `objects/operators.py` what operators of objects do.

Globals are a dict subclass: CPython reads the globals of a function through ``__getitem__`` when they are not
exactly a dict, and writes them straight into the dict's own storage. So reads become imports, and the
storage is the overlay of what the trace wrote. Cells are fresh cells whose contents are imported.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from autograph import conversion_of
from autograph.code_objects import once_per_code
from autograph.errors import StagingError
from autograph.operators import Undefined
from runtime.calls.builtins_in_trace import builtins_for
from runtime.guards.paths import Attribute, Cell, Constant, Global, Guard, Item, Path
from runtime.objects import attributes as object_attributes
from runtime.outside.importing import Importer
from runtime.outside.watched import WatchedClasses
from runtime.tracer.static_places import GlobalPlace, TraceGlobals, Variable

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


SIMPLE = (int, float, complex, str, bytes, type(None))


class Environment:
    """All substituted globals and cells of one trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._globals: dict[int, TraceGlobals] = {}
        self._cells: dict[int, tuple[types.CellType, types.CellType]] = {}
        self._places: dict[Global, GlobalPlace] = {}

    def enter(self, function: Any, converted: Any, record: Any = None) -> Callable[..., Any]:
        """The callable to run in place of a user's function. `record`: a conversion other than its own."""
        if self.trace.has_part("caches"):
            self.trace.caches.readings.enter(function)
        if isinstance(function.__globals__, TraceGlobals):
            return converted if record is None else record.bind(function)  # made during this trace
        if record is None:
            decisions = self.trace.decisions
            record = conversion_of(function, decisions.closed_with, marked=True)
        self.trace.outside.definitions.enter(function)
        names = function.__code__.co_freevars
        cells = {
            name: self.cell(cell, name, record)
            for name, cell in zip(names, function.__closure__ or (), strict=True)
        }
        made = record.instantiate(
            self.globals(function.__globals__, record.written_global_names),
            cells,
            self.defaults(function),
            self._keyword_defaults(function),
            name=function.__name__,
            qualname=function.__qualname__,
        )
        made.__module__ = function.__module__
        self._show_to_classes(made)
        return made

    def _show_to_classes(self, function: Any) -> None:
        """The body of a class statement looks its names up in the storage of the globals."""
        for name in class_body_names(function.__code__):
            if name in function.__globals__.module and not dict.__contains__(function.__globals__, name):
                function.__globals__.put(name, function.__globals__.peek(name))

    def globals(self, module: dict[str, Any], written: frozenset[str] = frozenset()) -> TraceGlobals:
        known = self._globals.get(id(module))
        if known is None:
            known = self._globals[id(module)] = TraceGlobals(self.trace, module)
            dict.__setitem__(known, "__builtins__", builtins_for(self.trace, module))
        for name in sorted(written):
            path = Global(module, name)
            if path not in self._places:
                place = self._places[path] = GlobalPlace(name, self.trace, path, known)
                if not isinstance(place.first, Undefined):  # for `del name`, which looks at the storage alone
                    known.put(name, place.first)
                    known.held.add(name)
        return known

    def global_place(self, module: dict[str, Any], name: str) -> GlobalPlace:
        """A global that functions store to."""
        self.globals(module, frozenset({name}))
        return self._places[Global(module, name)]

    def cell(self, cell: types.CellType, name: str, record: Any) -> types.CellType:
        if id(cell) in self._cells:
            return self._cells[id(cell)][1]
        path = Cell(cell, name)
        substitute = types.CellType()
        # before the import: contents may refer to the function itself
        self._cells[id(cell)] = (cell, substitute)
        try:
            contents = cell.cell_contents
        except ValueError:
            self.trace.outside.definitions.guard_no_attribute(cell, "cell_contents")
        else:
            substitute.cell_contents = self.trace.outside.import_value(contents, path)
        self.trace.shared.cells[id(substitute)] = Variable(name, self.trace, path, substitute, True)
        return substitute

    def defaults(self, function: Any) -> tuple[Any, ...] | None:
        """What its calls get for arguments that are not given."""
        defaults = function.__defaults__
        if defaults is None or all(isinstance(d, SIMPLE) for d in defaults):
            return defaults
        return tuple([self._default(function, "__defaults__", i, d) for i, d in enumerate(defaults)])

    def _keyword_defaults(self, function: Any) -> dict[str, Any] | None:
        defaults = function.__kwdefaults__ or {}
        return {k: self._default(function, "__kwdefaults__", k, d) for k, d in defaults.items()} or None

    def _default(self, function: Any, held: str, key: Any, value: Any) -> Any:
        path = Item(Attribute(Constant(function, function.__name__), held), key)
        return self.trace.outside.import_value(value, path)


@once_per_code
def class_body_names(code: types.CodeType) -> frozenset[str]:
    """The names that the class bodies inside of a function look up."""
    names: set[str] = set()
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            names |= class_body_names(inner)
            if not inner.co_flags & inspect.CO_OPTIMIZED:
                names |= set(inner.co_names)
    return frozenset(names)


class Outside(WatchedClasses):
    """What one trace knows of the world outside."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self._importer = Importer(self)

    def guards_of_refusal(self) -> list[Guard]:
        """Guards under which this attempt comes to nothing once more.

        None speaks of what stood in the way where the world is read: such a refusal is not to be kept.
        """
        if self.stands_in_the_way:
            never = lambda source, names: "False"
            return [Guard(Constant(self, "what was read"), never, "what stood in the way")]
        self.aliases.guard_distinct()
        self.definitions.finish()
        return self.guards

    @cached_property
    def attributes(self) -> object_attributes.Attributes:
        return object_attributes.Attributes(self)

    def import_value(self, value: Any, path: Path) -> Any:
        try:
            return self._importer.import_value(value, path)
        except StagingError:
            self.stands_in_the_way = True
            raise
