"""What lists hold whose items the trace knows: Python's own methods, done on the known items.

    items = [a, b]       list.new                items are known: a, b
    items.append(c)      list.append             a, b, c
    items.pop(0)         list.pop, which is a    b, c

The operation is done by each run; that its result, and what the list holds then, is known here, spares the
loads. What a method compares that only a run can compare, and a place that only a run knows, leaves the
items unknown.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runtime.graph import Value
from runtime.heap.shadow import UNKNOWN, ShadowHeap
from runtime.ops.methods import METHODS
from runtime.specs.spec import CONSTANTS
from runtime.tracer.builder import Staged
from runtime.tracer.spec import is_run_time
from runtime.types import ContainerType

#: a list of more items is not known item by item, ...
MAX_LENGTH = 64
#: ... nor one of more constants
MAX_CONSTANTS = 512
Contents = list[Any] | dict[Any, Any]


class Effect(NamedTuple):
    """What an operation on known items does, found before it is appended."""

    items: Contents | None = None  # what a changed container, or the one that is made, holds then, if known
    taken: Any = UNKNOWN  # what a method takes out


def effect_of(heap: ShadowHeap, operation: str, args: tuple[Any, ...]) -> Effect:
    """Raises LookupError, ValueError or TypeError where Python's own method does."""
    row = METHODS.get(operation)
    if row is None or row.letter(0) == "h" or not (row.writes or row.makes):
        return Effect()
    compared = "" if not row.asks or row.family == "dict" else "q" if "q" in row.takes else "cvxso"
    known = []
    for letter, arg in row.by_letter(args):
        plain = _plain(heap, letter, arg)
        if plain is UNKNOWN or (letter in "ik" and not is_place(arg)):
            return Effect()
        if letter in compared and not are_comparable(plain):
            return Effect()
        known.append(plain)
    taken = row.does(*known)
    if row.makes:
        return Effect(limited(taken))
    parts = taken if type(taken) is tuple else (taken,)  # of `popitem` a key and what it holds
    is_known = row.gives is not None and all(part is not UNKNOWN for part in parts)
    return Effect(limited(known[0]), taken if is_known else UNKNOWN)


def _plain(heap: ShadowHeap, letter: str, arg: Any) -> Any:
    """An argument for Python's own method; UNKNOWN where it is not known well enough."""
    if letter not in "csoq":
        return arg  # an item, a place or a key
    if is_known_kind(arg):
        items = heap.contents(arg.value)
        return UNKNOWN if items is None else items
    if letter == "s" and is_known_set(arg):
        return list(arg.builder.heap.members(arg.value))
    return arg.copy() if type(arg) in (list, dict) else list(arg) if type(arg) is tuple else UNKNOWN


def limited(contents: Contents) -> Contents | None:
    """What a list or dict holds, where that is known item by item."""
    if len(contents) <= MAX_LENGTH:
        return contents
    values = contents.values() if isinstance(contents, dict) else contents
    return contents if len(contents) <= MAX_CONSTANTS and all(map(are_comparable, values)) else None


def are_comparable(value: Any) -> bool:
    """Is it, or are they, constants that are equal or less in each run, as they are here?"""
    if type(value) in (list, tuple):
        return all(map(are_comparable, value))
    if type(value) is dict:
        return all(map(are_comparable, (*value, *value.values())))
    return (
        is_place(value)
        or isinstance(value, types.BuiltinFunctionType)
        or (type(value) is float and value == value)
    )


def is_known_kind(items: Any) -> bool:
    """Is it a list or a dict of the run, of which the trace may know what it holds?"""
    return (
        isinstance(items, Staged)
        and isinstance(items.type, ContainerType)
        and items.type.name in ("list", "dict")
    )


def known_items(heap: ShadowHeap, items: Any) -> Contents | None:
    """What a list or dict of the run holds, where the trace knows all of it."""
    found = heap.contents(items.value) if is_known_kind(items) else None
    if found is None:
        return None
    values = found.values() if isinstance(found, dict) else found
    return None if any(one is UNKNOWN for one in values) else found


def with_known_items(value: Any) -> Any:
    """A list or dict of the run whose items the trace knows, as a plain one; what lies in it, too.

    For those who keep none of it, and give none of it back: what is plain is another list. One in which lies
    another, of which only a run knows the items, is for a run.
    """
    plain = as_plain(value)
    if isinstance(plain, dict):
        return {key: with_known_items(item) for key, item in plain.items()} if plain is not value else value
    if type(plain) in (tuple, list):
        parts = list(map(with_known_items, plain))
        if plain is not value and any(map(is_known_kind, parts)):
            return value
        same = plain is value and all(a is b for a, b in zip(parts, plain, strict=True))
        return value if same else type(plain)(parts)
    return plain if type(plain) is set else value


def as_plain(value: Any) -> Any:
    """A list, dict or set of the run whose items the trace knows, as a plain one of the same items."""
    if is_known_set(value):
        return value.builder.heap.members(value.value)
    items = known_items(value.builder.heap, value) if is_known_kind(value) else None
    return value if items is None else items


def is_known_set(value: Any) -> bool:
    """Is it a set of the run of constants that the trace knows?"""
    is_set = isinstance(value, Staged) and isinstance(value.type, ContainerType) and value.type.name == "set"
    return is_set and value.builder.heap.members(value.value) is not None


def learn_items(
    heap: ShadowHeap, items: Value, contents: Contents | None, can_be_fact: Callable[[Any], bool]
) -> None:
    """A list or dict holds these values from here on."""
    kind = items.type.name if isinstance(items.type, ContainerType) else ""
    if contents is not None and kind in ("list", "dict") and kind == type(contents).__name__:
        facts = _facts_of(contents, can_be_fact)
        if facts is not None:
            heap.learn_contents(items, facts)


def learn_entry(
    heap: ShadowHeap, items: Value, contents: Contents, can_be_fact: Callable[[Any], bool]
) -> None:
    """A list or dict from outside held these values when the call began."""
    facts = _facts_of(contents, can_be_fact)
    if facts is not None:
        heap.learn_entry(items, facts)


def _facts_of(contents: Contents, can_be_fact: Callable[[Any], bool]) -> Contents | None:
    fact = lambda value: value if can_be_fact(value) else UNKNOWN
    if isinstance(contents, dict):
        known = all(map(is_place, contents))
        return {key: fact(value) for key, value in contents.items()} if known else None
    return list(map(fact, contents))


def is_place(value: Any) -> bool:
    """Is it an index, a number of times, a slice or a key that the trace knows?"""
    if isinstance(value, slice):
        return all(part is None or is_place(part) for part in (value.start, value.stop, value.step))
    if isinstance(value, tuple):
        return all(map(is_place, tuple.__iter__(value)))
    cls = type(value)
    if cls in CONSTANTS or isinstance(value, enum.Enum | np.generic):
        return True
    # an object that is a key by being this one, and no object of the run
    is_by_identity = cls.__hash__ is object.__hash__ and cls.__eq__ is object.__eq__
    return (is_by_identity or isinstance(value, type)) and not is_run_time(value)
