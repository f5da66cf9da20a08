"""What a function can reach and change: its arguments, globals, cells, defaults, and all that hangs on them.

A `World` remembers how everything was, and can put it back in place, so that the same objects hold again what
they held. `check=` uses it to run a function twice with its effects happening once.

>>> items, x = [1], np.zeros(2)
>>> world = World(len, (items, x))
>>> items.append(2); x[0] = 5
>>> world.restore(); items, x
([1], array([0., 0.]))
"""

from __future__ import annotations

import collections
import functools
import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.config import is_excluded
from runtime.guards.descriptions import names_in
from runtime.ops.instances import slot_members
from runtime.tensor import Tensor

#: more objects than this are not copied
MAX_OBJECTS = 200_000

_ATOMS = (
    type(None), bool, int, float, complex, str, bytes, np.generic, np.dtype, np.ufunc, range, slice,
    types.BuiltinFunctionType, types.CodeType, types.GeneratorType, type(Ellipsis), types.GenericAlias,
)  # fmt: skip


class WorldTooLarge(Exception):
    """The function reaches more objects than can be copied."""


class World:
    """Everything that a function reaches, as it was when this was made."""

    def __init__(self, function: Any, arguments: Any) -> None:
        self.number_of: dict[int, int] = {}  # id -> the number of a known object
        self.arrays: list[np.ndarray] = []
        self.slots: list[Slot] = []
        self._kept: list[Any] = []
        self._restorers: list[Callable[[], None]] = []
        self._slots_seen: set[tuple[int, str]] = set()
        self._random = (np.random.get_state(), random.getstate())
        self._reach([function, arguments])

    def restore(self) -> None:
        """Everything holds again what it held."""
        for slot in self.slots:
            slot.restore()
        for restore in self._restorers:
            restore()
        np.random.set_state(self._random[0])
        random.setstate(self._random[1])

    # -- finding ----------------------------------------------------------------------------------------

    def _reach(self, waiting: list[Any]) -> None:
        while waiting:
            value = waiting.pop()
            if isinstance(value, _ATOMS) or id(value) in self.number_of:
                continue
            if len(self._kept) > MAX_OBJECTS:
                raise WorldTooLarge
            self.number_of[id(value)] = len(self._kept)
            self._kept.append(value)
            waiting += self._parts(value)

    def _parts(self, value: Any) -> list[Any]:
        """Remember how to restore ``value``; what to look at next."""
        kind = type(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, list | dict | set | bytearray | collections.deque):
            return self._container(value) + self._attributes(value)
        if isinstance(value, tuple | frozenset):
            return list(value)
        if kind is Tensor:
            return [value._array]
        if kind is types.FunctionType:
            return self._function(value)
        if isinstance(value, types.MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, functools.partial):
            return [value.func, value.args, value.keywords]
        if isinstance(value, staticmethod | classmethod):
            return [value.__func__]
        if isinstance(value, property):
            return [value.fget, value.fset, value.fdel]
        if isinstance(value, types.CellType):
            return self._slot(Slot(value, "cell_contents", "a closure"))
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, types.ModuleType):
            return []
        inner = getattr(value, "__runtime_inline__", None)
        if inner is not None:
            return [inner]
        self._generator(value)
        return self._attributes(value)

    def _array(self, value: np.ndarray) -> list[Any]:
        held = value.copy()

        def restore() -> None:
            if value.flags.writeable:
                value[...] = held

        self._restorers.append(restore)
        self.arrays.append(value)
        return [] if value.base is None else [value.base]

    def _container(self, value: Any) -> list[Any]:
        held = dict.copy(value) if isinstance(value, dict) else list(value)

        def restore() -> None:
            if isinstance(value, list | bytearray):
                value[:] = held
            else:
                value.clear()
                value.extend(held) if isinstance(value, collections.deque) else value.update(held)

        self._restorers.append(restore)
        return [*held.keys(), *held.values()] if isinstance(held, dict) else list(held)

    def _attributes(self, value: Any) -> list[Any]:
        found: list[Any] = []
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            held = dict(fields)

            def restore() -> None:
                fields.clear()
                fields.update(held)

            self._restorers.append(restore)
            found += held.values()
        for name in slot_members(type(value)):
            found += self._slot(Slot(value, name, f"{type(value).__name__}.{name}"))
        return [type(value), *found]

    def _class(self, cls: type) -> list[Any]:
        if is_excluded(cls.__module__) or cls.__module__ == "builtins":
            return []
        found: list[Any] = list(cls.__bases__)
        for name, value in list(vars(cls).items()):
            is_code = callable(value) or hasattr(type(value), "__get__")
            if is_code:
                found.append(value)
            elif not (name.startswith("__") and name.endswith("__")) and not name.startswith("_abc_"):
                found += self._slot(Slot(cls, name, f"{cls.__name__}.{name}"))
        return found

    def _function(self, function: types.FunctionType) -> list[Any]:
        if is_excluded(function.__module__ or ""):
            return []
        found: list[Any] = [*(function.__closure__ or ()), function.__defaults__, function.__kwdefaults__]
        for cell, name in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
            found += self._slot(Slot(cell, "cell_contents", name))
        names = names_in(function.__code__)
        for name in names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if not is_excluded(value.__name__):
                    for inner in names & vars(value).keys():
                        found += self._slot(Slot(vars(value), inner, f"{name}.{inner}"))
            elif name in function.__globals__ or name not in _builtin_names(function):
                found += self._slot(Slot(function.__globals__, name, name))
        return found + self._attributes(function)[1:]

    def _slot(self, slot: Slot) -> list[Any]:
        if slot.identity in self._slots_seen:
            return []
        self._slots_seen.add(slot.identity)
        self._kept.append(slot.owner)
        self.slots.append(slot)
        return [] if slot.before is _MISSING else [slot.before]

    def _generator(self, value: Any) -> None:
        """A generator of random numbers goes back to its state."""
        if isinstance(value, np.random.Generator):
            bits = value.bit_generator
            state = bits.state
            self._restorers.append(lambda: setattr(bits, "state", state))
        elif isinstance(value, random.Random):
            held = value.getstate()
            self._restorers.append(lambda: value.setstate(held))


_MISSING: Any = object()


class Slot:
    """A place that can be bound again: a global, a cell, an attribute in ``__slots__`` or of a class."""

    def __init__(self, owner: Any, key: str, name: str) -> None:
        self.owner = owner
        self.key = key
        self.name = name
        self.before = self.get()

    @property
    def identity(self) -> tuple[int, str]:
        return id(self.owner), self.key

    def get(self) -> Any:
        if isinstance(self.owner, dict):
            return self.owner.get(self.key, _MISSING)
        try:
            if isinstance(self.owner, type):
                return vars(self.owner).get(self.key, _MISSING)
            return getattr(self.owner, self.key)
        except (AttributeError, ValueError):
            return _MISSING

    @property
    def bound(self) -> bool:
        return self.get() is not _MISSING

    def restore(self) -> None:
        if self.get() is self.before:
            return
        if isinstance(self.owner, dict):
            if self.before is _MISSING:
                del self.owner[self.key]
            else:
                self.owner[self.key] = self.before
        elif self.before is _MISSING:
            delattr(self.owner, self.key)
        elif isinstance(self.owner, type | types.CellType):
            setattr(self.owner, self.key, self.before)
        else:
            object.__setattr__(self.owner, self.key, self.before)


def _builtin_names(function: types.FunctionType) -> Any:
    builtins = function.__globals__.get("__builtins__", {})
    return builtins if isinstance(builtins, dict) else vars(builtins)
