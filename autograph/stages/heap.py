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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any
from weakref import ref

from autograph.config import is_excluded
from autograph.operators import Undefined
from autograph.stages.slots import (
    MISSING,
    Contents,
    Slot,
    attribute_access,
    cell_access,
    cells_of,
    contents_slot,
    globals_written,
    item_access,
    names_in,
    same_contents,
    slot_names,
    user_code,
)
from autograph.staging import State

#: attributes that classes get when something is asked of them
_MADE_BY_PYTHON = frozenset({"__abstractmethods__", "_abc_impl", "__annotations__", "__annotations_cache__"})

_ATOMS = frozenset(
    {int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented), range, slice}
)


class Heap:
    """The objects reachable from `roots`, and what they hold now.

    `without`: cells that somebody else looks after. `opaque` says which values are not looked into,
    `watch` gives the Slot of a library's own mutable value (else None).
    """

    def __init__(
        self,
        roots: Iterable[Any],
        without: Iterable[CellType] = (),
        opaque: Callable[[Any], bool] = lambda value: False,
        watch: Callable[[Any], Slot | None] = lambda value: None,
    ) -> None:
        self._before: dict[tuple[int, Any], tuple[Slot, Any]] = {}
        self._whole: list[tuple[Any, str, dict[str, Any], dict[str, Any]]] = []
        self._classes: list[tuple[type, frozenset[str]]] = []
        self._modules: dict[int, ModuleType] = {}
        self._names: set[str] = set()
        self._cell_names: dict[int, str] = {}
        self._kept: dict[int, Any] = {id(cell): cell for cell in without}
        self._opaque = opaque
        self.leaves: list[Any] = []
        """The objects of classes that are none of Python's own, such as arrays and iterators."""
        self._shared: set[int] = set()
        pending = deque((root, False) for root in roots)
        while pending or self._of_modules(pending):
            value, shared = pending.popleft()
            shared = shared or (isinstance(value, type) and is_importable(value))
            if type(value) in _ATOMS or id(value) in (self._shared if shared else self._kept):
                continue
            self._kept[id(value)] = value
            if shared:
                self._shared.add(id(value))
            watched = watch(value)
            if watched is not None:
                self._before[watched.identity] = watched, watched.read()
            elif not opaque(value):
                for part in self._visit(value):
                    if type(part) is _Shared:
                        pending.append((part.value, True))
                    else:
                        pending.append((part, shared and not isinstance(value, type)))

    @classmethod
    def of_statement(
        cls,
        state: State,
        blocks: Iterable[Callable[..., Any]],
        opaque: Callable[[Any], bool] = lambda value: False,
        watch: Callable[[Any], Slot | None] = lambda value: None,
        values: Iterable[Any] | None = None,
    ) -> Heap:
        """What the blocks of a statement reach, without the variables of `state`, which the stage sees to.

        `values` are those of the variables, or what of them is to be looked into.

        >>> made = []
        >>> heap = Heap.of_statement(State(("made",), lambda: (made,), lambda values: None), [])
        >>> made.append(1); [slot.name for slot in heap.changes()]
        ['the list']
        """
        variables = [cell for cell, name in cells_of([state.get, state.set]) if name in state.names]
        values = state.get() if values is None else values
        return cls([*user_code(blocks), *values], variables, opaque, watch)

    @cached_property
    def identities(self) -> frozenset[int]:
        """The identities of the objects that were there."""
        return frozenset(self._kept)

    def is_shared(self, slot: Slot) -> bool:
        """Is this a global, an attribute of a class, or of something that is reached through those?"""
        return id(slot.owner) in self._shared

    def __contains__(self, value: object) -> bool:
        return id(value) in self._kept

    # What is reachable

    def _visit(self, value: Any) -> Iterator[Any]:
        slot = contents_slot(value)
        if slot is not None:
            before = slot.read()
            self._before[slot.identity] = slot, before
            yield from before.values
            yield from before.keys
        kind = type(value)
        if kind in (tuple, frozenset):
            yield from value
        elif kind is FunctionType:
            yield from self._function(value)
        elif kind is MethodType:
            yield from (value.__self__, value.__func__)
        elif kind is BuiltinFunctionType:
            if not isinstance(value.__self__, ModuleType):
                yield value.__self__
        elif kind is partial:
            yield from (value.func, value.args, value.keywords)
        elif kind is CellType:
            name = self._cell_names.get(id(value), "a variable")
            yield from self._slot(value, "cell", name, *cell_access(value))
        elif kind in (staticmethod, classmethod):
            yield value.__func__
        elif kind is property:
            yield from (value.fget, value.fset)
        elif isinstance(value, type):
            yield from self._class(value)
        elif kind is ModuleType:
            if not is_excluded(value.__name__):
                self._modules[id(value)] = value
        elif isinstance(value, ref):
            yield value()
        elif kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__"):
            yield from gc.get_referents(value)
        else:
            yield from self._instance(value)

    def _of_modules(self, pending: deque[tuple[Any, bool]]) -> bool:
        """Add what the code that was seen may mean by an attribute of a module; is there anything new?"""
        for module in self._modules.values():
            held = module.__dict__
            for name in self._names & held.keys():
                if (id(held), name) not in self._before:
                    label = f"{module.__name__}.{name}"
                    part = self._slot(held, name, label, *item_access(held, name))
                    pending.extend((value, True) for value in part)
                    self._shared.add(id(held))
        return bool(pending)

    def _slot(self, owner: Any, key: Any, name: str, read: Any, write: Any) -> Iterator[Any]:
        slot = Slot(owner, key, name, read, write)
        before = read()
        self._before[slot.identity] = slot, before
        yield before

    def _function(self, function: FunctionType) -> Iterator[Any]:
        if is_excluded(function.__module__ or ""):
            return
        for cell, name in cells_of([function]):
            self._cell_names[id(cell)] = name
            yield cell
        yield from function.__defaults__ or ()
        yield from (function.__kwdefaults__ or {}).values()
        yield from self._attributes(function, function.__name__)
        module_globals, names = function.__globals__, names_in(function.__code__)
        self._names |= names
        for name in names:
            if name in module_globals:
                yield from self._global(module_globals, name)
        for name in globals_written(function.__code__) - module_globals.keys():
            yield from self._global(module_globals, name)

    def _global(self, module_globals: dict[str, Any], name: str) -> Iterator[Any]:
        if (id(module_globals), name) not in self._before:
            read, write = item_access(module_globals, name)
            yield from map(_Shared, self._slot(module_globals, name, name, read, write))
            self._shared.add(id(module_globals))

    def _class(self, cls: type) -> Iterator[Any]:
        if is_excluded(cls.__module__ or ""):
            return
        yield from cls.__mro__[1:]
        self._classes.append((cls, frozenset(cls.__dict__)))
        for name, value in list(cls.__dict__.items()):
            if name.startswith("__") and name not in ("__init__", "__call__"):
                if not isinstance(value, FunctionType):
                    continue
            if isinstance(value, (FunctionType, staticmethod, classmethod, property)):
                yield value
            else:
                read, write = attribute_access(cls, name)
                held = self._slot(cls, name, f"{cls.__name__}.{name}", read, write)
                yield from map(_Shared, held) if is_importable(cls) else held

    def _instance(self, value: Any) -> Iterator[Any]:
        yield type(value)
        self.leaves.append(value)
        name = type(value).__name__
        yield from self._attributes(value, name)
        for base in type(value).__mro__:
            for slot in slot_names(base):
                read, write = attribute_access(value, slot)
                yield from self._slot(value, slot, f"{name}.{slot}", read, write)

    def _attributes(self, value: Any, name: str) -> Iterator[Any]:
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            before = dict(attributes)
            self._whole.append((value, name, attributes, before))
            yield from before.values()

    # What changed

    def changes(self) -> list[Slot]:
        """The places that hold something else now."""
        found = []
        for slot, before in self._before.values():
            now = slot.read()
            same = same_contents(now, before) if isinstance(before, Contents) else now is before
            if not same:
                found.append(slot)
        for owner, name, attributes, held in self._whole:
            for key in [*held, *(key for key in attributes if key not in held)]:
                if attributes.get(key, MISSING) is not held.get(key, MISSING):
                    read, write = item_access(attributes, key, f"{name}.{key}")
                    found.append(Slot(owner, key, f"{name}.{key}", read, write))
        for cls, names in self._classes:
            if len(cls.__dict__) != len(names) or names != cls.__dict__.keys():
                for key in [key for key in cls.__dict__ if key not in names and key not in _MADE_BY_PYTHON]:
                    found.append(Slot(cls, key, f"{cls.__name__}.{key}", *attribute_access(cls, key)))
        return found

    def holder(self, value: Any) -> str | None:
        """The name of a global, a class's attribute or an object's that held `value`."""
        for slot, before in self._before.values():
            if before is value and slot.key != "cell":
                return slot.name
        for _, name, _, held in self._whole:
            for key, before in held.items():
                if before is value:
                    return f"{name}.{key}"
        return None

    def restore(self) -> None:
        """Put everything back."""
        for slot in self.changes():
            slot.write(self.before(slot))

    def before(self, slot: Slot) -> Any:
        """What the place held at first."""
        known = self._before.get(slot.identity)
        if known is not None:
            return known[1]
        for owner, _, _, held in self._whole:
            if owner is slot.owner:
                return held.get(slot.key, Undefined(slot.name))
        if isinstance(slot.owner, type):
            return Undefined(slot.name)
        raise KeyError(slot.name)


@dataclass(frozen=True, slots=True)
class _Shared:
    """Reached through a global or a class, which all functions share."""

    value: Any


def is_importable(cls: type) -> bool:
    """Is this class known by its name in a module (or made by Python itself)?"""
    return "<locals>" not in cls.__qualname__


def refers_to(value: Any, wanted: Callable[[Any], bool]) -> bool:
    """Is an object that is `wanted` reachable from `value`? Numbers and strings are not asked for.

    >>> marker = object()
    >>> refers_to({"a": [marker]}, lambda v: v is marker), refers_to([1], lambda v: v is marker)
    (True, False)
    """
    found = False

    def look(part: Any) -> bool:
        nonlocal found
        found = found or wanted(part)
        return found

    Heap([value], opaque=look)
    return found
