"""With respect to what a derivative is taken: floats in arguments, arrays that the function finds by itself.

Arguments are structures: lists, tuples, dicts, dataclasses, in lists, and so on. A derivative has the same
structure, with None where there is nothing to differentiate (a text, an int).

A global, an attribute, an item of a dict: a trace knows arrays by where it found them. Which of them is the
array that is meant, the trace sees at the call that it is made for; guards say that it is so at each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from runtime.arguments import wrong_argument
from runtime.guards.paths import Guard, Names, Path
from runtime.guards.questions import IsThis
from runtime.tensor import Tensor
from runtime.tracer.builder import Staged
from runtime.tracer.known_items import as_plain
from runtime.tracer.trace import Trace, current_trace
from runtime.types import ContainerType, ObjectType

Change = Callable[[Any, str], Any]


def is_float(value: Any) -> bool:
    """Is it a number or an array, staged or not, that a derivative can be taken with respect to?"""
    if isinstance(value, Staged):
        return not isinstance(value.type, ObjectType) and value.type.dtype.kind in "fc"
    if isinstance(value, np.ndarray | np.generic | Tensor):
        return bool(np.asarray(value).dtype.kind in "fc")
    return type(value) in (float, complex)


def change_leaves(value: Any, change: Change, name: str) -> Any:
    """The same structure with each of its leaves changed. The containers are new ones; ``name`` tells those
    of a trace apart that one line of the program makes."""
    trace = current_trace()
    if isinstance(value, Staged):
        known = _known_items(value)
        return change(value, name) if known is value else change_leaves(known, change, name)
    if isinstance(value, tuple):
        items = [change_leaves(item, change, f"{name}[{k}]") for k, item in enumerate(value)]
        make: Any = getattr(type(value), "_make", tuple)
        return make(items)
    if type(value) is list or type(value) is dict:
        pairs = value.items() if type(value) is dict else enumerate(value)
        changed = {key: change_leaves(item, change, f"{name}[{key!r}]") for key, item in pairs}
        made = changed if type(value) is dict else list(changed.values())
        return made if trace is None else trace.containers.born(made, (trace.containers.here(), name))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _changed_fields(value, change, name)
    return change(value, name)


def _known_items(value: Staged) -> Any:
    """A list or dict of the run as a plain one; a long one from outside gets known item by item."""
    known = as_plain(value)
    if known is value and isinstance(value.type, ContainerType):
        value.containers.require_items(value.type.sites)
    return known


def _changed_fields(value: Any, change: Change, name: str) -> Any:
    """A dataclass with changed fields, made without its ``__init__``."""
    made = object.__new__(type(value))
    trace = current_trace()
    for field, item in _fields_of(value):
        object.__setattr__(made, field, change_leaves(item, change, f"{name}.{field}"))
    return made if trace is None else trace.references.born(made)


def _fields_of(value: Any) -> Iterator[tuple[str, Any]]:
    trace = current_trace()
    seen = value if trace is None else trace.seen(value)
    for field in dataclasses.fields(value):
        yield field.name, getattr(seen, field.name)


def leaves_of(value: Any, name: str) -> Iterator[tuple[Any, str]]:
    """The leaves of a structure, and what they are called."""
    if isinstance(value, Staged):
        known = _known_items(value)
        if known is value:
            yield value, name
        else:
            yield from leaves_of(known, name)
    elif isinstance(value, tuple) or type(value) in (list, dict):
        for key, item in value.items() if type(value) is dict else enumerate(value):
            yield from leaves_of(item, f"{name}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field, item in _fields_of(value):
            yield from leaves_of(item, f"{name}.{field}")
    else:
        yield value, name


def with_leaves(value: Any, leaves: Iterable[Any], name: str) -> Any:
    """The structure with other leaves, in the order of `leaves_of`."""
    others = iter(leaves)
    return change_leaves(value, lambda leaf, _: next(others), name)


def floats_of(value: Any, name: str) -> list[Any]:
    """The leaves that a derivative is taken with respect to, in order."""
    return [leaf for leaf, _ in leaves_of(value, name) if is_float(leaf)]


def with_floats(value: Any, floats: Iterator[Any], rest: Callable[[Any], Any], name: str) -> Any:
    """The structure with other floats; ``rest`` says what becomes of other leaves."""
    return change_leaves(value, lambda leaf, _: next(floats) if is_float(leaf) else rest(leaf), name)


def found_as(trace: Trace, array: np.ndarray, kind: str, name: str) -> list[Any]:
    """The staged values that stand for an array in this trace, one for each place where it was found."""
    found: dict[Any, Any] = {}
    for path, staged, there in trace.outside.arrays:
        if there is array:
            _guard(trace, path, IsThis(array), "the array that a derivative is taken of")
            found[staged.value] = staged
        elif np.may_share_memory(there, array):
            raise wrong_argument(
                f"rt.{kind}: `{path}` shares memory with `{name}`, but is another array",
                f"give the array itself in `wrt`: wrt={path}",
                "wrt",
            )
        else:
            _guard(trace, path, _apart(array), "apart from the array that a derivative is taken of")
    if not found:
        raise wrong_argument(
            f"rt.{kind}: the function does not read the array `{name}`",
            "give the array that it reads, not a copy or a view; pass others as arguments, and use argnums",
            "wrt",
        )
    return list(found.values())


def _guard(trace: Trace, path: Path, condition: Any, expected: str) -> None:
    trace.outside.guards.append(Guard(path, condition, expected, routine=True))


def _apart(array: np.ndarray) -> Any:
    def condition(source: str, names: Names) -> str:
        return f"not {names.of(np.may_share_memory)}({source}, {names.of(array)})"

    return condition
