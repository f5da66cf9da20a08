"""The mutable world that a function reaches: globals, closure cells, class attributes, `self`.

Every run of a differential test starts from an equal world (`restore`), and `state` is what is compared
after each call.

>>> total = [1]
>>> def add(x, cell=None):
...     return inner
>>> def outer():
...     count = 0
...     def step():
...         nonlocal count
...         count += 1
...     return step
>>> step, world = outer(), World()
>>> world.discover([step]); step(); world.state([step])["state"]
{'step.count': 1}
>>> world.restore(); world.state([step])["state"]
{'step.count': 0}
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import types
from collections.abc import Iterator
from typing import Any

from tests.array_copies import array_copies

_DEFAULTS = ("__defaults__", "__kwdefaults__")
_PLAIN = types.FunctionType | types.MethodType | types.ModuleType | types.BuiltinFunctionType | type


@dataclasses.dataclass
class Slot:
    """One place that holds a value: a global, a cell, an attribute of a class or function, its defaults."""

    name: str
    owner: Any
    key: str

    @property
    def identity(self) -> tuple[int, str]:
        return id(self.owner), self.key

    def get(self) -> Any:
        if isinstance(self.owner, types.CellType):
            return self.owner.cell_contents
        if isinstance(self.owner, dict):
            return self.owner[self.key]
        return getattr(self.owner, self.key) if self._is_defaults else self.owner.__dict__[self.key]

    def set(self, value: Any) -> None:
        if isinstance(self.owner, types.CellType):
            self.owner.cell_contents = value
        elif isinstance(self.owner, dict):
            self.owner[self.key] = value
        else:
            setattr(self.owner, self.key, value)

    def remove(self) -> None:
        if isinstance(self.owner, types.CellType):
            del self.owner.cell_contents
        elif isinstance(self.owner, dict):
            self.owner.pop(self.key, None)
        elif self.key in self.owner.__dict__:
            delattr(self.owner, self.key)

    @property
    def bound(self) -> bool:
        if isinstance(self.owner, types.CellType):
            try:
                self.owner.cell_contents
            except ValueError:
                return False
            return True
        if isinstance(self.owner, dict):
            return self.key in self.owner
        return self._is_defaults or self.key in self.owner.__dict__

    @property
    def _is_defaults(self) -> bool:
        return isinstance(self.owner, types.FunctionType) and self.key in _DEFAULTS


class World:
    """Remembers how the slots that functions reach were first seen, and can put them back."""

    def __init__(self) -> None:
        self._slots: dict[tuple[int, str], Slot] = {}
        self._pristine: dict[tuple[int, str], Any] = {}
        self._attributes: dict[Any, frozenset[str]] = {}  # of classes and functions, as first seen

    def discover(self, roots: list[Any]) -> None:
        new = {}
        for function in user_functions(roots):
            for slot in _slots_of(function):
                if slot.identity not in self._slots:
                    self._slots[slot.identity] = slot
                    if isinstance(slot.owner, type | types.FunctionType):
                        self._attributes.setdefault(slot.owner, frozenset(vars(slot.owner)))
                    if slot.bound:
                        new[slot.identity] = slot.get()
        self._pristine.update(_copies(new))

    def restore(self) -> None:
        for owner, names in self._attributes.items():
            for name in [name for name in vars(owner) if name not in names]:
                delattr(owner, name)
        fresh = _copies(self._pristine)
        for identity, slot in self._slots.items():
            if identity in fresh:
                slot.set(fresh[identity])
            else:
                slot.remove()

    def state(self, roots: list[Any]) -> dict[str, Any]:
        """The values in all slots, by name, and the objects that bound methods belong to."""
        values = {
            slot.name: slot.get() for slot in self._slots.values() if slot.bound and _is_data(slot.get())
        }
        return {"state": values, "self": [getattr(root, "__self__", None) for root in roots]}


def user_functions(roots: list[Any]) -> Iterator[types.FunctionType]:
    """All Python functions outside the standard library that the roots reach through names they use."""
    waiting, seen = list(roots), set()
    while waiting:
        function = _as_function(waiting.pop(0))
        if function is None or id(function) in seen or not _is_users(function):
            continue
        seen.add(id(function))
        yield function
        for slot in _slots_of(function):
            if slot.bound:
                value = slot.get()
                waiting += vars(value).values() if isinstance(value, type) else [value]
                waiting += vars(type(value)).values() if not isinstance(value, _PLAIN) else []


def _as_function(value: Any) -> types.FunctionType | None:
    if isinstance(value, types.MethodType | staticmethod | classmethod):
        value = value.__func__
    if isinstance(value, property):
        value = value.fget
    if isinstance(value, functools.partial):
        return _as_function(value.func)
    if not isinstance(value, types.FunctionType):
        value = getattr(type(value), "__call__", None)
    return value if isinstance(value, types.FunctionType) else None


def _is_users(function: types.FunctionType) -> bool:
    from tests.differential import is_user_file

    return is_user_file(function.__code__.co_filename) or function.__name__ == "<lambda>"


def _slots_of(function: types.FunctionType) -> Iterator[Slot]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield Slot(f"{function.__name__}.{name}", cell, "cell_contents")
    kept = [key for key in _DEFAULTS if _may_change(getattr(function, key))]
    yield from (Slot(f"{function.__name__}.{key}", function, key) for key in (*kept, *vars(function)))
    for name in _names_used(function.__code__):
        value = function.__globals__.get(name)
        if isinstance(value, type) and _defined_by_user(value) and not issubclass(value, enum.Enum):
            yield from (Slot(f"{name}.{key}", value, key) for key in vars(value) if not key.startswith("__"))
        if not isinstance(value, types.ModuleType) and name not in ("print",):
            yield Slot(f"global {name}", function.__globals__, name)


def _may_change(defaults: Any) -> bool:
    values = (defaults or {}).values() if not isinstance(defaults, tuple) else defaults
    return not all(
        isinstance(value, int | float | str | bytes | None) or not _is_data(value) for value in values
    )


def _defined_by_user(cls: type) -> bool:
    return any(_is_users(f) for f in vars(cls).values() if isinstance(f, types.FunctionType))


def _names_used(code: types.CodeType) -> list[str]:
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names += _names_used(constant)
    return list(dict.fromkeys(names))


def _is_data(value: Any) -> bool:
    if type(value).__module__ == "dataclasses":  # what an `__init__` knows a missing argument by
        return False
    return not isinstance(value, _PLAIN | staticmethod | classmethod | property | functools.partial)


def _copies(values: dict[tuple[int, str], Any]) -> dict[tuple[int, str], Any]:
    """Deep copies of the data with the aliasing among them kept; what cannot be copied stays the same.

    Arrays share memory as they did. A bound method, too, is then that of the copied object.
    """
    bound = types.MethodType | functools.partial
    data = {key: value for key, value in values.items() if _is_data(value) or isinstance(value, bound)}
    memo = array_copies(list(data.values()))
    for value in values.values():
        if isinstance(value, tuple):  # the defaults of a dataclass's `__init__`
            memo |= {id(item): item for item in value if not _is_data(item)}
    return values | {key: _copy_or_same(value, memo) for key, value in data.items()}


def _copy_or_same(value: Any, memo: dict[int, Any]) -> Any:
    try:
        return copy.deepcopy(value, memo)
    except (TypeError, ValueError):  # a lock, a file, a generator
        return value
