"""Places that a program can change: attributes, globals, cells, the contents of containers.

>>> row = [1, 2]
>>> slot = contents_slot(row)
>>> slot.write(Contents((), (5,))); row
[5]
"""

from __future__ import annotations

import dis
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import is_
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph.code_objects import once_per_code
from autograph.operators import Undefined


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A place that can be changed: an attribute, a global, a cell, the contents of a container.

    `owner` is the object; `key` the name of the attribute or global, `"cell"` or `"contents"`; `name` is for
    people. `read()` gives what it holds, `Undefined(name)` for nothing, `Contents` of a container.
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


#: of a kind of container: what it holds, and how to add that to an empty one
_CONTAINERS: tuple[tuple[Any, Callable[[Any], Contents], Callable[[Any, Contents], None]], ...] = (
    ((list, deque), lambda c: Contents((), tuple(c)), lambda c, held: c.extend(held.values)),
    (
        dict,
        lambda c: Contents(tuple(c), tuple(c.values())),
        lambda c, held: c.update(zip(held.keys, held.values, strict=True)),
    ),
    (set, lambda c: Contents(tuple(c), ()), lambda c, held: c.update(held.keys)),
)


def same_contents(a: Any, b: Any) -> bool:
    """Do two readings of a place hold the same objects?"""
    if not isinstance(a, Contents):
        return a is b
    if len(a.keys) != len(b.keys) or len(a.values) != len(b.values):
        return False
    return all(map(is_, a.keys, b.keys)) and all(map(is_, a.values, b.values))


def contents_slot(owner: Any) -> Slot | None:
    """The contents of a list, dict, set or deque; None for anything else."""
    for kinds, contents, add in _CONTAINERS:
        if isinstance(owner, kinds):

            def fill(held: Contents) -> None:
                owner.clear()
                add(owner, held)

            return Slot(owner, "contents", f"the {type(owner).__name__}", partial(contents, owner), fill)
    return None


MISSING = object()
"""What an empty cell, or a missing attribute, holds."""


def cell_access(cell: CellType) -> tuple[Any, Any]:
    """How to read and write a cell."""

    def read() -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            return MISSING

    def write(value: Any) -> None:
        if value is MISSING:
            del cell.cell_contents
        else:
            cell.cell_contents = value

    return read, write


def item_access(held: dict[str, Any], key: str, name: str = "") -> tuple[Any, Any]:
    """How to read and write a global, or an attribute in an object's dictionary."""

    def write(value: Any) -> None:
        if isinstance(value, Undefined):
            held.pop(key, None)
        else:
            held[key] = value

    return lambda: held.get(key, Undefined(name or key)), write


def attribute_access(owner: Any, key: str) -> tuple[Any, Any]:
    """How to read and write an attribute of a class, or one that has a slot."""
    nothing = Undefined(key)
    kind: Any = type if isinstance(owner, type) else object

    def write(value: Any) -> None:
        if not isinstance(value, Undefined):
            kind.__setattr__(owner, key, value)
        elif read() is not nothing:
            kind.__delattr__(owner, key)

    def read() -> Any:
        return owner.__dict__.get(key, nothing) if kind is type else getattr(owner, key, nothing)

    return read, write


def slot_names(cls: type) -> tuple[str, ...]:
    """The attributes of `__slots__`, as they are mangled."""
    names = cls.__dict__.get("__slots__", ())
    names = (names,) if isinstance(names, str) else tuple(names)
    private = cls.__name__.lstrip("_")
    return tuple(
        f"_{private}{n}" if n.startswith("__") and not n.endswith("__") else n
        for n in names
        if n not in ("__dict__", "__weakref__")
    )


def cells_of(functions: Iterable[Any]) -> Iterator[tuple[CellType, str]]:
    """The cells of closures, with the names of their variables."""
    for function in functions:
        if isinstance(function, FunctionType):
            yield from zip(function.__closure__ or (), function.__code__.co_freevars, strict=True)


def user_code(blocks: Iterable[Any]) -> Iterator[Any]:
    """The user's closures among blocks, which operators and stages may hand over in functions of theirs."""
    for block in blocks:
        if isinstance(block, FunctionType) and (block.__module__ or "").startswith(_OURS):
            held = [value for cell in block.__closure__ or () for value in contents_of(cell)]
            parts = [part for value in held for part in (value if type(value) is tuple else (value,))]
            yield from user_code(part for part in parts if callable(part) or hasattr(part, "__next__"))
        else:
            yield block


_OURS = ("autograph.operators.", "autograph.stages.")


def contents_of(cell: CellType) -> tuple[Any, ...]:
    """What a cell holds: a tuple of one, or of none."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


@once_per_code
def names_in(code: CodeType) -> frozenset[str]:
    """The global names that a function and the functions in it use (and some names of attributes)."""
    return frozenset(code.co_names).union(*map(names_in, _nested(code)))


def _nested(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


@once_per_code
def globals_written(code: CodeType) -> frozenset[str]:
    """The globals that a function and the functions in it assign or delete."""
    own: Iterable[str] = ()
    if not _STORES.isdisjoint(code.co_code[::2]):  # to list them takes far longer
        own = [i.argval for i in dis.get_instructions(code) if i.opcode in _STORES]
    return frozenset(own).union(*map(globals_written, _nested(code)))


_STORES = frozenset(dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL"))
