"""The entry of a trace as a table that machine code walks: no Python runs between a call and its trace.

Each row of a table is one question about the arguments, or about what lies along a path; the answer "no"
sends the call on, to the next table and at last to ``__call__``, which knows all that a table does not. So a
table may say no where Python would say yes, never the other way round.

Tables are made when a function is called often, and the C function that walks them (support_entry.ll) when
the first of them is.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import types
from abc import ABCMeta
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from runtime.engines import tracebacks
from runtime.engines.native import jit
from runtime.engines.native.objects.attribute_access import VALUES
from runtime.engines.native.objects.layouts import layout
from runtime.functions import plans
from runtime.functions.dispatch import Made
from runtime.guards.keys import are_plain
from runtime.guards.paths import (
    Argument,
    Attribute,
    Cell,
    Constant,
    DistinctGuard,
    Global,
    Guard,
    Item,
    KeysGuard,
    Parameter,
    Path,
    SameGuard,
    guard_lines,
)
from runtime.guards.questions import (
    EqualsNumber,
    EqualsValue,
    Fits,
    HasNoOther,
    IsSequence,
    IsThis,
    KeepsItsCode,
    OfClass,
    Question,
    Row,
)
from runtime.objects import entered
from runtime.ops import attribute_places as places
from runtime.ops.instances import class_attribute
from runtime.tensor import Tensor
from runtime.tracer.builder import active_builders

#: the kinds of rows, in the order of support_entry.ll
_KINDS = """
    CLASS IS INT ARRAY FLOAT EQUAL LENGTH CODE DEFAULTS KWDEFAULTS CONTEXT SAME DISTINCT ABSENT HOLDS LACKS
    CALL VERSION CHECKED POP GLOBAL CELL ATTRIBUTE ITEM CONSTANT AT KEYS
""".split()
_NUMBERS = {what: number for number, what in enumerate(_KINDS, 1)}
#: those that name what they ask, and need no slot
_FREE = frozenset("CODE DEFAULTS KWDEFAULTS CONTEXT ABSENT HOLDS".split())
#: room that support_entry.ll has
_MOST_SLOTS, _MOST_RESULTS = 60, 30
#: what a path raises that leads nowhere any more
_UNREAD = (AttributeError, LookupError, TypeError, ValueError)
#: where a class has its version; 0: none
_VERSION = 384


class NoTable(Exception):
    """Only Python answers such calls."""


class _Row(ctypes.Structure):
    _fields_ = [
        ("what", ctypes.c_int16),
        ("skip", ctypes.c_int16),
        ("slot", ctypes.c_int32),
        ("a", ctypes.c_void_p),
        ("b", ctypes.c_void_p),
        ("c", ctypes.c_int64),
    ]


class _Table(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int64)
        for name in (
            "parameters places names defaults row_count rows input_count inputs body state "
            "results kind plan parts leaves"
        ).split()
    ]


class Table:
    """The table of one trace, and all that it refers to by address."""

    def __init__(self, made: Made, python: Any) -> None:
        self._made = made
        self._kept: list[Any] = []
        self._rows: list[_Row] = []
        self._held: list[Path] = []  # what was read, in the slots behind the parameters
        self._most = 0
        self._sequences: set[Path] = set()  # tuples and lists of known lengths
        self._left = Counter[Path]()  # how often what lies there is still needed
        trace, check = made.trace, made.check
        inputs = [check.inputs.get(i, check.leaves[i]) for i in trace.positions] + trace.paths
        text = plans.source_of(trace.plan, made.names)
        leaves = check.leaves if "args" in text else []
        by_class, guards = _of_classes(trace.guards)
        read = [path for guard in (*check.guards, *guards) for path in _paths(guard)]
        for path in (*inputs, *leaves, *read):
            self._need(self._resolved(path))
        for guard in check.guards:
            self._ask(guard)
        for cls, own in by_class.items():
            self._ask_of_class(cls, own)
        for guard in guards:
            self._ask(guard)
        table = self._table = _Table(parameters=check.count, results=len(trace.optimized.results))
        self._bind(python)
        self._make(trace.plan, text, leaves)
        table.inputs, table.input_count = self._numbers(map(self._slot, inputs)), len(inputs)
        table.rows, table.row_count = self._array(_Row, self._rows), len(self._rows)
        table.body, state = trace.compiled.executable.body()
        table.state = self._object(state)
        if max(check.count + self._most, len(inputs), table.results + len(leaves)) > _MOST_SLOTS:
            raise NoTable
        self.address = ctypes.addressof(table)

    # -- memory ---------------------------------------------------------------------------------------

    def _object(self, item: Any) -> int:
        self._kept.append(item)
        return id(item)

    def _array(self, kind: Any, items: Sequence[Any]) -> int:
        held = (kind * max(len(items), 1))(*items)
        self._kept.append(held)
        return ctypes.addressof(held)

    def _numbers(self, items: Iterable[int]) -> int:
        return self._array(ctypes.c_int64, [*items])

    def _objects(self, items: Iterable[Any]) -> int:
        return self._array(ctypes.c_void_p, [self._object(item) for item in items])

    def _add(self, what: str, slot: int = 0, a: int = 0, b: int = 0, c: int = 0, skip: int = 0) -> None:
        self._rows.append(_Row(_NUMBERS[what], skip, slot, a, b, c))

    # -- what is read ---------------------------------------------------------------------------------

    def _resolved(self, path: Path) -> Path:
        """The same place as seen from the arguments as they are given."""
        match path:
            case Argument(index):
                return self._made.check.leaves[index]
            case Attribute(base, name):
                return Attribute(self._resolved(base), name)
            case Item(base, key):
                return Item(self._resolved(base), key)
        return path

    def _need(self, path: Path) -> None:
        self._left[path] += 1
        if self._left[path] == 1 and isinstance(path, Attribute | Item):
            self._need(path.base)

    def _slot(self, path: Path) -> int:
        """The slot of what lies there, read if nobody has done so before."""
        path = self._resolved(path)
        if isinstance(path, Parameter):
            return path.index
        if path not in self._held:
            self._read(path)
            self._hold(path)
        return self._made.check.count + self._held.index(path)

    def _hold(self, path: Path) -> None:
        self._held.append(path)
        self._most = max(self._most, len(self._held))

    def _read(self, path: Path) -> None:
        match path:
            case Global(namespace, name) if type(namespace) is dict:
                self._add("GLOBAL", 0, self._object(namespace), self._object(name))
            case Cell(cell):
                self._add("CELL", 0, self._object(cell))
            case Constant(value):
                self._add("CONSTANT", 0, self._object(value))
            case Attribute(base, name):
                self._add("ATTRIBUTE", self._slot(base), self._object(name))
                self._left[base] -= 1
            case Item(base, key) if base in self._sequences:
                self._add("AT", self._slot(base), c=key)
                self._left[base] -= 1
            case Item(base, key):
                self._add("ITEM", self._slot(base), self._object(key))
                self._left[base] -= 1
            case _:
                raise NoTable

    def _release(self) -> None:
        """Give back what nobody needs any more, as far as it was read last."""
        while self._held and self._left[self._held[-1]] <= 0:
            self._held.pop()
            self._add("POP")

    # -- guards ---------------------------------------------------------------------------------------

    def _ask(self, guard: Guard) -> None:
        needed = dict.fromkeys(_paths(guard))
        slots = [self._slot(path) for path in needed]
        if isinstance(guard, SameGuard) and len(slots) == 2:
            self._add("SAME", slots[0], c=slots[1])
        elif isinstance(guard, DistinctGuard) and len(slots) == len(guard.others) + 1:
            self._add("DISTINCT", 0, 0, self._numbers(slots), len(slots))
        elif isinstance(guard, KeysGuard):
            self._ask_for_keys(guard, slots)
        else:
            rows = guard.condition.rows() if isinstance(guard.condition, Question) else None
            if isinstance(guard.condition, IsSequence):
                self._sequences.update(map(self._resolved, needed))
            if not (rows and all(self._put(row, slots) for row in rows) and rows[-1].decides):
                self._ask_python(guard, slots)
        for path in needed:
            self._left[self._resolved(path)] -= 1
        self._release()

    def _put(self, row: Row, slots: Sequence[int]) -> bool:
        """A row, which at least knows a yes; False where it does not exist."""
        skip = 0 if row.decides else 1
        if row.what in _FREE:
            self._add(row.what, 0, self._object(row.a), self._object(row.b), row.c, skip)
        elif len(slots) != 1:
            return False
        elif row.what == "ARRAY":
            shape = self._numbers([len(row.b), *row.b])
            self._add("ARRAY", slots[0], self._object(row.a), shape, 0, skip)
        elif row.what == "LACKS":
            place = places.place_of(row.a, row.b)
            if isinstance(place, places.Beside):
                packed = place.first << 16 | place.index
            elif isinstance(place, places.Keyed):
                packed = 0xFFFF
            else:
                return False
            self._add("LACKS", slots[0], self._object(row.a), self._object(row.b), packed)
        else:
            self._add(row.what, slots[0], self._object(row.a), self._object(row.b), row.c, skip)
        return True

    def _ask_python(self, guard: Guard, slots: Sequence[int]) -> None:
        """A row that calls a function of what the guard reads."""
        names = self._made.names
        names.locals = {path: f"v{k}" for k, path in enumerate(dict.fromkeys(_paths(guard)))}
        if isinstance(guard.condition, Fits) and len(slots) == 1:
            function = names.env[names.of(guard.condition.accepts)]
        else:
            function = self._function(", ".join(names.locals.values()), [f"return {guard.source(names)}"])
        self._add("CALL", 0, self._object(function), self._numbers(slots), len(slots))

    def _function(self, parameters: str, lines: Sequence[str]) -> Any:
        env, body = self._made.names.env, "\n    ".join(lines)
        exec(compile(f"def asked({parameters}):\n    {body}\n", "<table>", "exec"), env)
        return env["asked"]

    def _ask_for_keys(self, guard: KeysGuard, slots: Sequence[int]) -> None:
        if guard.kind is not dict or not guard.keys or not are_plain(guard.keys):
            self._put(OfClass(guard.kind).rows()[0], slots)
            self._ask_python(guard, slots)
            return
        self._add("KEYS", slots[0], 0, self._objects(guard.keys), len(guard.keys))
        for key in guard.keys:
            self._hold(Item(self._resolved(guard.path), key))

    def _ask_of_class(self, cls: type, guards: Sequence[Guard]) -> None:
        """Guards that the class alone decides are asked again only when it has changed."""
        memo, counted, names = self._numbers([0]), versions_are_known(), self._made.names
        names.locals = {}
        if counted:
            self._add("VERSION", 0, self._object(cls), memo, skip=2)
        lines = [*guard_lines(guards, names, "return False"), "return True"]
        self._add("CALL", 0, self._object(self._function("", lines)), self._numbers([]))
        if counted:
            self._add("CHECKED", 0, self._object(cls), memo)

    # -- the call -------------------------------------------------------------------------------------

    def _bind(self, python: Any) -> None:
        """Which arguments may be given by name, and the defaults: none where that is not plain."""
        check, table = self._made.check, self._table
        keywords = self._made.keywords
        count = table.places = check.count - len(keywords)
        names, defaults = [0] * check.count, [0] * check.count
        held = _held_code(self._made.trace.guards, python)
        code = held.get("__code__")
        if code is not None and code.co_argcount == count and keywords == _keyword_only(code):
            for k, name in enumerate(code.co_varnames[: check.count]):
                names[k] = self._object(name) if k >= code.co_posonlyargcount else 0
            given = held.get("__defaults__", ())
            for k, value in enumerate(given, count - len(given)):
                defaults[k] = self._object(value)
            others = held.get("__kwdefaults__", {})
            for k, name in enumerate(keywords, count):
                if name in others:  # which may be replaced where they are
                    defaults[k] = self._object(others[name])
                    self._add("HOLDS", 0, self._object(others), self._object(name), defaults[k])
        elif keywords:
            raise NoTable
        table.names = self._array(ctypes.c_void_p, names)
        table.defaults = self._array(ctypes.c_void_p, defaults)

    def _make(self, plan: Any, text: str, leaves: Sequence[Path]) -> None:
        """What is made of the results: one, a tuple of them, what a function makes, always the same."""
        table, count = self._table, self._table.results
        if count > _MOST_RESULTS:
            raise NoTable
        match plan:
            case plans.Leaf(0) if count == 1:
                table.kind = 0
            case plans.TupleOf(kind, items) if kind is tuple and sorted(_leaves(items)) == [*range(count)]:
                table.kind, table.parts, table.plan = 1, count, self._numbers(_leaves(items))
            case plans.Constant(value) if count == 0:
                table.kind, table.plan = 3, self._object(value)
            case plans.Boxed(0) if count == 1:
                table.kind, table.plan = 2, self._object(Tensor)
            case _:
                visible = self._made.names.of(tracebacks.visible)
                lines = [
                    f"results, args = given[:{count}], given[{count}:]",
                    "try:",
                    f"    return {text}",
                    "except Exception as error:",
                    f"    raise error.with_traceback({visible}(error.__traceback__))",
                ]
                table.kind, table.plan = 2, self._object(self._function("*given", lines))
                table.parts, table.leaves = len(leaves), self._numbers(map(self._slot, leaves))


def _paths(guard: Guard) -> Iterator[Path]:
    """What a guard reads; constants are part of its text."""
    return (path for path in (guard.path, *guard.others) if not isinstance(path, Constant))


def _leaves(items: Sequence[Any]) -> list[int]:
    return [item.leaf if isinstance(item, plans.Leaf) else -1 for item in items]


def _keyword_only(code: types.CodeType) -> tuple[str, ...]:
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def _held_code(guards: Sequence[Guard], python: Any) -> dict[str, Any]:
    """What the guards say of the function itself: its code, its defaults."""
    for guard in guards:
        if isinstance(guard.condition, KeepsItsCode) and guard.condition.function is python:
            return dict(guard.condition.held)
    return {}


# -- classes ----------------------------------------------------------------------------------------------


def _of_classes(guards: Sequence[Guard]) -> tuple[dict[type, list[Guard]], list[Guard]]:
    """Guards that a class alone decides, by class, and all others.

    The former are asked first: what is read of an object may be code of the user's once its class is
    another one.
    """
    by_class: dict[type, list[Guard]] = {}
    left = []
    for guard in guards:
        cls = _class_of(guard)
        if cls is None:
            left.append(guard)
        else:
            by_class.setdefault(cls, []).append(guard)
    return by_class, left


def _class_of(guard: Guard) -> type | None:
    """The class that decides alone: by what it holds, which no code of the user's gives out."""
    path, condition = guard.path, guard.condition
    if isinstance(condition, HasNoOther):
        cls = path.value if isinstance(path, Constant) else None
    elif isinstance(condition, IsThis | EqualsNumber | EqualsValue) and isinstance(path, Attribute):
        base, name, of_method = path.base, path.name, False
        if name == "__func__" and isinstance(base, Attribute):
            base, name, of_method = base.base, base.name, True
        cls = base.value if isinstance(base, Constant) else None
        if not isinstance(cls, type):
            return None
        held = class_attribute(cls, name)
        if of_method and type(held) is classmethod:
            held = held.__func__
        if held is not condition.value or hasattr(type(held), "__get__") and type(held) not in _PLAIN:
            return None
    else:
        return None
    return cls if type(cls) in (type, ABCMeta) else None


#: what a class gives out as it holds it
_PLAIN = (types.FunctionType,)


@functools.cache
def versions_are_known() -> bool:
    """Does a class get another number here whenever it changes? Held against a class of our own."""

    def version(cls: type) -> int:
        return ctypes.c_uint32.from_address(id(cls) + _VERSION).value

    probe: Any = type("Probe", (), {"held": 1})
    seen = set()
    for number in range(4):
        probe.held = number
        if version(probe) or probe.held != number or not version(probe):
            return False
        seen.add(version(probe))
    return len(seen) == 4


# -- the function -----------------------------------------------------------------------------------------


@functools.cache
def _entry(call: Callable[..., Any]) -> tuple[int, Any]:
    """The address of the C function, which goes to ``call`` where no table fits, and what keeps it there."""
    text = jit.own_text("support_entry.ll")
    text += VALUES.get(places.KNOWN, next(iter(VALUES.values())))
    held = {"object.builders": active_builders, "object.call": call, "object.unread": _UNREAD}
    symbols = {name: id(item) for name, item in held.items()}
    library = jit.jit().compile_at_once(text, symbols, ["rt_enter"])
    return library.address("rt_enter"), (library, held)


def _table(made: Made, python: Any) -> Table | None:
    if not made.is_asked and layout() is not None:
        made.is_asked = True
        run = made.trace.compiled
        if run.engine == "native" and run.run is run.executable.run:
            with suppress(NoTable):
                made.table = Table(made, python)
    return made.table


def enter(function: Any, entries: Sequence[Made], call: Callable[..., Any], python: Any = None) -> None:
    """Let machine code take the calls for which these entries are, as far as it can ask what they ask.

    ``python``: the function whose names and defaults it may go by.
    """
    tables = [table for made in entries if (table := _table(made, python)) is not None]
    if tables:
        addresses = [table.address for table in tables]
        packed = struct.pack(f"q{len(addresses)}P", len(addresses), *addresses)
        function._chain = (packed, tuple(tables))
    entered.set_entry(function, _entry(call)[0] if tables else 0)
