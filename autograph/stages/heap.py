"""Which objects a block of converted code changed: their contents before and after, compared by identity.

A stage that traces both branches of an `if` runs code that would change lists, dicts, attributes, cells and
globals for good. It takes a `Heap` before, asks it for `changes()` after, and calls `restore()`.

>>> class Counter: total = 0
>>> counter = Counter()
>>> heap = Heap([counter])
>>> counter.total = 5
>>> [(slot.name, slot.read()) for slot in heap.changes()]
[('Counter.total', 5)]
>>> heap.restore(); counter.total
0
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import is_
from types import (
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
    TracebackType,
)
from typing import Any
from weakref import ref

from autograph.code_objects import once_per_code
from autograph.config import is_excluded
from autograph.operators import Undefined
from autograph.staging import State

#: of an expression, which changes no variable
NO_STATE = State((), tuple, lambda values: None)

#: attributes that classes get when something is asked of them
_MADE_BY_PYTHON = frozenset({"__abstractmethods__", "_abc_impl", "__annotations__", "__annotations_cache__"})

_ATOMS = frozenset(
    {int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented), range, slice}
    | {CodeType, FrameType, TracebackType}
)


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A place that can be changed: an attribute, a global, a cell, the contents of a container.

    `owner` is the object; `key` the name of the attribute or global, or `"contents"`; `name` is for people.
    `read()` gives what it holds, `Undefined(name)` for nothing, `Contents` of a container.
    """

    owner: Any
    key: Any
    name: str
    read: Callable[[], Any]
    write: Callable[[Any], None]

    @property
    def identity(self) -> tuple[int, Any]:
        return id(self.owner), self.key


@dataclass(frozen=True, slots=True)
class Contents:
    """What a container holds, apart from the container; `keys` are those of a dict, else empty."""

    keys: tuple[Any, ...]
    values: tuple[Any, ...]


def same_contents(a: Any, b: Any) -> bool:
    """Do two readings of a place hold the same objects?"""
    if not isinstance(a, Contents):
        return a is b
    if len(a.keys) != len(b.keys) or len(a.values) != len(b.values):
        return False
    return all(map(is_, a.keys, b.keys)) and all(map(is_, a.values, b.values))


def contents_slot(owner: Any) -> Slot | None:
    """The contents of a list, dict, set or deque; None for anything else.

    >>> row = [1, 2]
    >>> contents_slot(row).write(Contents((), (5,))); row
    [5]
    """
    if not isinstance(owner, (list, dict, set, deque)):
        return None

    def read() -> Contents:
        keys = tuple(owner) if isinstance(owner, (dict, set)) else ()
        values = owner.values() if isinstance(owner, dict) else () if keys else owner
        return Contents(keys, tuple(values))

    def write(held: Contents) -> None:
        owner.clear()
        if isinstance(owner, dict):
            owner.update(zip(held.keys, held.values, strict=True))
        elif isinstance(owner, set):
            owner.update(held.keys)
        else:
            owner.extend(held.values)

    return Slot(owner, "contents", f"the {type(owner).__name__}", read, write)


class Names:
    """Names that hold values: attributes of an object, the globals that code uses, the variable of a cell.

    They stand in the dict `held`, or else are attributes of `owner`; `read()` gives those that count, by
    default all in the dict. `label.format(name)` is for people.
    """

    __slots__ = ("before", "held", "label", "owner", "read")

    def __init__(
        self,
        owner: Any,
        label: str,
        held: dict[str, Any] | None = None,
        read: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        self.owner, self.label, self.held = owner, label, held
        self.read = read or (lambda: held or {})
        self.before = dict(self.read())

    def slot(self, key: str) -> Slot:
        """One of them."""

        def read() -> Any:
            return self.read().get(key, Undefined(key))

        def write(value: Any) -> None:
            kind: Any = type if isinstance(self.owner, type) else object
            if self.held is not None and isinstance(value, Undefined):
                self.held.pop(key, None)
            elif self.held is not None:
                self.held[key] = value
            elif not isinstance(value, Undefined):
                kind.__setattr__(self.owner, key, value)
            elif key in self.read():
                kind.__delattr__(self.owner, key)

        return Slot(self.owner, key, self.label.format(key), read, write)

    def changed(self) -> list[str]:
        """Those that hold something else now."""
        before, now = self.before, self.read()
        if all(map(is_, before.values(), now.values())) and before.keys() == now.keys():
            return []
        other = [key for key in {**before, **now} if now.get(key, before) is not before.get(key, before)]
        return [key for key in other if key not in _MADE_BY_PYTHON]


class Heap:
    """The objects reachable from `roots`, such as the blocks of a statement, and what they hold now.

    What the variables of `state` hold is reached, too; the variables themselves the stage sees to.
    `opaque` says which values are not looked into, `watch` gives the Slot of a library's own mutable
    value (else None). Iterated over: all that was reached.

    >>> made = []
    >>> heap = Heap([], State(("made",), lambda: (made,), lambda values: None))
    >>> made.append(1); [slot.name for slot in heap.changes()]
    ['the list']
    """

    def __init__(
        self,
        roots: Iterable[Any],
        state: State = NO_STATE,
        opaque: Callable[[Any], bool] = lambda value: False,
        watch: Callable[[Any], Slot | None] = lambda value: None,
    ) -> None:
        self._slots: list[Slot] = []
        self._names: list[Names] = []
        self._before: dict[tuple[int, Any], Any] = {}
        self._modules: dict[int, dict[str, Any]] = {}
        self._used: set[str] = set()
        self._cell_names: dict[int, str] = {}
        cells = [*_cells(state.get), *_cells(state.set)]
        self._kept: dict[int, Any] = {id(cell): cell for cell, name in cells if name in state.names}
        pending = deque([*roots, *state.get()])
        while pending or self._of_modules(pending):
            value = pending.popleft()
            if type(value) in _ATOMS or id(value) in self._kept:
                continue
            self._kept[id(value)] = value
            if type(value) in (FunctionType, CellType):  # most of all: no library's
                pending.extend(self._visit(value))
                continue
            slot = watch(value)
            if slot is None and not opaque(value):
                slot = contents_slot(value)
                pending.extend(self._visit(value))
            if slot is not None:
                self._slots.append(slot)
                self._before[slot.identity] = slot.read()
        for held in self._modules.values():
            self._names.append(Names(held, "{}", held, partial(_globals, self._used, held)))

    def __contains__(self, value: object) -> bool:
        return id(value) in self._kept

    def __iter__(self) -> Iterator[Any]:
        return iter(self._kept.values())

    # What is reachable

    def _visit(self, value: Any) -> Iterable[Any]:
        if type(value) is CellType:
            label = self._cell_names.get(id(value), "a variable")
            return self._named(Names(value, label, read=partial(_set_attributes, value, ("cell_contents",))))
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, ModuleType):
            return self._module(value.__dict__)
        if isinstance(value, ref):
            return (value(),)
        return self._object(value)

    def _function(self, function: FunctionType) -> list[Any]:
        """What a function holds; of a library's, such as a decorator's, only what its closure holds."""
        cells = function.__closure__ or ()
        if is_excluded(function.__module__ or ""):
            return gc.get_referents(*cells)
        self._cell_names.update((id(cell), name) for cell, name in _cells(function))
        self._used |= names_in(function.__code__)
        self._module(function.__globals__)
        attributes = self._named(Names(function, f"{function.__name__}.{{}}", function.__dict__))
        return [*cells, function.__defaults__, function.__kwdefaults__, *attributes]

    def _named(self, names: Names) -> Iterable[Any]:
        """What names hold, which are looked at again."""
        self._names.append(names)
        return names.before.values()

    def _module(self, held: dict[str, Any]) -> tuple[()]:
        if not is_excluded(held.get("__name__") or ""):
            self._modules[id(held)] = held
        return ()

    def _of_modules(self, pending: deque[Any]) -> bool:
        """Add what modules hold; is there anything new?"""
        for held in self._modules.values():
            values = _globals(self._used, held).values()
            pending.extend(value for value in values if value not in self and type(value) not in _ATOMS)
        return bool(pending)

    def _class(self, cls: type) -> list[Any]:
        if is_excluded(cls.__module__ or ""):
            return []
        self._names.append(Names(cls, f"{cls.__name__}.{{}}", read=lambda: cls.__dict__))
        own = [v for n, v in cls.__dict__.items() if not n.startswith("__") or isinstance(v, FunctionType)]
        return [*cls.__mro__[1:], *own]

    def _object(self, value: Any) -> list[Any]:
        kind, found = type(value), gc.get_referents(value)
        label, attributes = f"{kind.__name__}.{{}}", getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            self._kept[id(attributes)] = attributes
            found += self._named(Names(value, label, attributes))
        slotted = [base.__dict__ for base in kind.__mro__ if "__slots__" in base.__dict__]
        slots = [n for held in slotted for n, d in held.items() if type(d) is MemberDescriptorType]
        if slots:
            self._names.append(Names(value, label, read=partial(_set_attributes, value, slots)))
        return found

    # What changed

    def changes(self) -> list[Slot]:
        """The places that hold something else now."""
        found = [slot for slot in self._slots if not same_contents(slot.read(), self._before[slot.identity])]
        for names in self._names:
            for key in names.changed():
                found.append(names.slot(key))
                self._before[found[-1].identity] = names.before.get(key, Undefined(key))
        return found

    def holder(self, value: Any) -> str | None:
        """The name of a variable, a global, a class's attribute or an object's that held `value`."""
        held = ((names, key) for names in self._names for key, v in names.before.items() if v is value)
        return next((names.label.format(key) for names, key in held), None)

    def restore(self) -> None:
        """Put everything back."""
        for slot in self.changes():
            slot.write(self.before(slot))

    def before(self, slot: Slot) -> Any:
        """What a place of `changes()` held at first."""
        return self._before[slot.identity]


def _cells(function: Any) -> list[tuple[CellType, str]]:
    """The cells of a closure, with the names of their variables."""
    if not isinstance(function, FunctionType):
        return []
    return [*zip(function.__closure__ or (), function.__code__.co_freevars, strict=True)]


def _globals(used: set[str], held: dict[str, Any]) -> dict[str, Any]:
    """What code that uses these names may mean by a global, or by an attribute of a module."""
    return {name: held[name] for name in used if name in held}


def _set_attributes(owner: Any, names: Iterable[str]) -> dict[str, Any]:
    """Attributes that stand in no dictionary, as far as they have a value."""
    found = {}
    for name in names:
        try:
            found[name] = getattr(owner, name)
        except (AttributeError, ValueError):  # as a cell says
            continue
    return found


@once_per_code
def names_in(code: CodeType) -> frozenset[str]:
    """The global names that a function and the functions in it use (and some names of attributes)."""
    nested = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return frozenset(code.co_names).union(*map(names_in, nested))
