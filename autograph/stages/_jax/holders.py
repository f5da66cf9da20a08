"""Who holds an array: variables that may still be read, and the containers and objects that they lead to.

>>> import jax.numpy as jnp
>>> x = jnp.zeros(2)
>>> row = [x, (x, 1)]
>>> [(place.name, place.put is None) for place in places_of([("row", row)], lambda v: v is x)]
[('row', False), ('row', True)]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from gc import get_referents
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import jax

from autograph.stages._jax.choices import Choice
from autograph.stages._jax.tracing import is_opaque
from autograph.stages.heap import is_iterator
from autograph.stages.slots import slot_names

_ATOMS = frozenset({int, float, complex, bool, str, bytes, type(None), range, slice})
Put = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class Holder:
    """A place that holds an array that was looked for."""

    name: str
    """The variable that leads there."""
    array: Any
    owner: Any
    """The container or object; None where a variable holds the array itself."""
    put: Put | None
    """Put another array there; None where nobody can."""


def places_of(
    roots: Iterable[tuple[str, Any]],
    wanted: Callable[[Any], bool],
    skip: Callable[[str, Any], bool] = lambda *_: False,
) -> Iterator[Holder]:
    """The places that hold a wanted array, each once.

    `skip(name, value)`: is this variable of a closure one that was looked at already?
    """
    pending: deque[tuple[str, Any]] = deque()
    for name, value in roots:
        if isinstance(value, jax.Array) and wanted(value):
            yield Holder(name, value, None, None)
        pending.append((name, value))
    seen: set[int] = set()
    while pending:
        name, owner = pending.popleft()
        if type(owner) in _ATOMS or id(owner) in seen:
            continue
        seen.add(id(owner))
        for value, put in _parts(owner, skip):
            if isinstance(value, jax.Array) and wanted(value):
                yield Holder(name, value, owner, put)
            elif type(value) not in _ATOMS:
                pending.append((name, value))


def _parts(owner: Any, skip: Callable[[str, Any], bool]) -> Iterator[tuple[Any, Put | None]]:
    """What an object holds, and how to put something else there."""
    if isinstance(owner, (list, deque)):
        for k, value in enumerate(list(owner)):
            yield value, partial(owner.__setitem__, k)
    elif isinstance(owner, dict):
        for key, value in list(owner.items()):
            yield value, partial(owner.__setitem__, key)
    elif isinstance(owner, Choice):
        for option in owner.options:
            yield option, None
    elif isinstance(owner, (tuple, set, frozenset)):
        for value in owner:
            yield value, None
    elif isinstance(owner, FunctionType):
        yield from _function(owner, skip)
    elif isinstance(owner, MethodType):
        yield owner.__self__, None
    elif isinstance(owner, partial) or is_iterator(owner):
        for value in get_referents(owner):
            yield value, None
    elif not isinstance(owner, (type, ModuleType)) and not is_opaque(owner):
        yield from _attributes(owner)


def _function(function: FunctionType, skip: Callable[[str, Any], bool]) -> Iterator[tuple[Any, Put | None]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        value = _content(cell)
        if not skip(name, value):
            yield value, partial(setattr, cell, "cell_contents")
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield value, None


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _attributes(owner: Any) -> Iterator[tuple[Any, Put | None]]:
    held = getattr(owner, "__dict__", None)
    if isinstance(held, dict):
        for name, value in list(held.items()):
            yield value, partial(held.__setitem__, name)
    for base in type(owner).__mro__:
        for slot in slot_names(base):
            if hasattr(owner, slot):
                yield getattr(owner, slot), partial(object.__setattr__, owner, slot)
