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
from functools import partial
from itertools import chain
from operator import is_
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any
from weakref import ref

from autograph.config import is_excluded
from autograph.operators import Undefined
from autograph.stages.slots import (
    MISSING,
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
        self._whole: dict[int, tuple[Any, str, Mapping[str, Any], dict[str, Any]]] = {}
        self._modules: dict[int, ModuleType] = {}
        self._names: set[str] = set()
        self._cell_names: dict[int, str] = {}
        self._kept: dict[int, Any] = {id(cell): cell for cell in without}
        pending = deque(roots)
        while pending or self._of_modules(pending):
            value = pending.popleft()
            if type(value) in _ATOMS or id(value) in self._kept:
                continue
            self._kept[id(value)] = value
            slot = watch(value)
            if slot is not None:
                self._before[slot.identity] = slot, slot.read()
            elif not opaque(value):
                pending.extend(self._visit(value))

    @classmethod
    def of_statement(
        cls,
        state: State,
        blocks: Iterable[Callable[..., Any]],
        opaque: Callable[[Any], bool] = lambda value: False,
        watch: Callable[[Any], Slot | None] = lambda value: None,
    ) -> Heap:
        """What the blocks of a statement reach, without the variables of `state`, which the stage sees to.

        >>> made = []
        >>> heap = Heap.of_statement(State(("made",), lambda: (made,), lambda values: None), [])
        >>> made.append(1); [slot.name for slot in heap.changes()]
        ['the list']
        """
        variables = [cell for cell, name in cells_of([state.get, state.set]) if name in state.names]
        return cls([*user_code(blocks), *state.get()], variables, opaque, watch)

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

    def _of_modules(self, pending: deque[Any]) -> bool:
        """Add what the code that was seen may mean by an attribute of a module; is there anything new?"""
        for module in self._modules.values():
            for name in self._names & module.__dict__.keys():
                pending.extend(self._global(module.__dict__, name, f"{module.__name__}.{name}"))
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
        yield from self._attributes(function, function.__name__, function.__dict__).values()
        module_globals, names = function.__globals__, names_in(function.__code__)
        self._names |= names
        for name in (names & module_globals.keys()) | globals_written(function.__code__):
            yield from self._global(module_globals, name, name)

    def _global(self, module_globals: dict[str, Any], name: str, label: str) -> Iterator[Any]:
        if (id(module_globals), name) not in self._before:
            yield from self._slot(module_globals, name, label, *item_access(module_globals, name))

    def _class(self, cls: type) -> Iterator[Any]:
        if is_excluded(cls.__module__ or ""):
            return
        yield from cls.__mro__[1:]
        for name, value in self._attributes(cls, cls.__name__, cls.__dict__).items():
            if not name.startswith("__") or isinstance(value, FunctionType):
                yield value

    def _instance(self, value: Any) -> Iterator[Any]:
        yield type(value)
        name = type(value).__name__
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            yield from self._attributes(value, name, attributes).values()
        for base in type(value).__mro__:
            for slot in slot_names(base):
                yield from self._slot(value, slot, f"{name}.{slot}", *attribute_access(value, slot))

    def _attributes(self, owner: Any, name: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
        before = dict(attributes)
        self._whole[id(owner)] = owner, name, attributes, before
        return before

    # What changed

    def changes(self) -> list[Slot]:
        """The places that hold something else now."""
        found = [slot for slot, before in self._before.values() if not same_contents(slot.read(), before)]
        for owner, name, attributes, before in self._whole.values():
            if len(attributes) == len(before) and all(map(is_, attributes.values(), before.values())):
                continue
            for key in {**before, **attributes}:
                if attributes.get(key, MISSING) is before.get(key, MISSING) or key in _MADE_BY_PYTHON:
                    continue
                if isinstance(owner, type):
                    access = attribute_access(owner, key)
                else:
                    access = item_access(owner.__dict__, key)
                found.append(Slot(owner, key, f"{name}.{key}", *access))
        return found

    def holder(self, value: Any) -> str | None:
        """The name of a variable, a global, a class's attribute or an object's that held `value`."""
        of_objects = (
            (f"{name}.{key}", held)
            for _, name, _, before in self._whole.values()
            for key, held in before.items()
        )
        named = ((slot.name, held) for slot, held in self._before.values())
        return next((name for name, held in chain(named, of_objects) if held is value), None)

    def restore(self) -> None:
        """Put everything back."""
        for slot in self.changes():
            slot.write(self.before(slot))

    def before(self, slot: Slot) -> Any:
        """What the place held at first."""
        known = self._before.get(slot.identity)
        if known is not None:
            return known[1]
        return self._whole[id(slot.owner)][3].get(slot.key, Undefined(slot.key))
