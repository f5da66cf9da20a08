"""What functions with a cache (`functools.lru_cache`) read beside their arguments: only what never changes.

    @lru_cache
    def scaled(n):
        return n * SCALE  # Python keeps what the first call read; a trace reads SCALE again

So such a function may read plain values, functions, classes and modules, and nothing else. Which they are is
kept with the function: a trace that finds another one in the place is refused, as is one that stores there.
"""

from __future__ import annotations

import enum
import functools
import re
import types
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import StagingError
from autograph.records import record
from runtime.guards.descriptions import names_in
from runtime.objects.acting import is_library_code
from runtime.tracer.cells import contents_of
from runtime.tracer.trace_globals import TraceGlobals, made_in_trace

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: values that never change
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, enum.Enum)
#: what is called, or asked for what it holds by names that code mentions
_DEFINITIONS = (
    types.FunctionType, type, types.ModuleType, np.ufunc, type(np.sum), functools._lru_cache_wrapper,
    staticmethod, classmethod, property, types.MemberDescriptorType,
)  # fmt: skip
#: by function, what variables and attributes of these owners held when a trace read them
_records: weakref.WeakKeyDictionary[Any, dict[tuple[int, str], tuple[Any, Any]]] = weakref.WeakKeyDictionary()


@record(slots=False, frozen=False, eq=False)
class Reading:
    """What one cached function reads in one trace."""

    name: str
    call: StagingError  # whose place is that of the first call
    functions: dict[int, types.FunctionType] = field(default_factory=dict)  # its own, and those that it calls


class Readings:
    """Those of the cached functions that one trace calls."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.known: dict[Any, Reading] = {}
        self.under_way: list[Any] = []

    def begin(self, function: Any) -> None:
        """A call begins; `under_way` gets rid of it."""
        if function not in self.known:
            self.known[function] = Reading(function.__wrapped__.__name__, self.trace.refuse("", ""))
        self.under_way.append(function)

    def enter(self, function: types.FunctionType) -> None:
        """Code runs that one of them called, or its own."""
        for one in self.under_way:
            self.known[one].functions[id(function)] = function

    def check(self) -> None:
        """The trace is complete. Raises StagingError where what one of them reads changes, or has changed."""
        names = [place.name for place in self.trace.heap.stored_to]
        stored = {word for name in names for word in re.findall(r"[^\W\d]\w*", name)[-1:]}
        for function, reading in self.known.items():
            kept = _records.setdefault(function, {})
            for owner, name, value in _bindings(reading.functions.values()):
                if not _is_fixed(value) or name in stored:
                    raise self._changed(reading, name)
                if kept.setdefault((id(owner), name), (owner, value))[1] is not value:
                    raise self._changed(reading, name)

    def _changed(self, reading: Reading, what: str) -> StagingError:
        name, at = reading.name, reading.call
        error = self.trace.refuse(
            f"`{name}` has a cache (lru_cache) and reads `{what}`, which may change, and Python keeps the "
            "result of the first call",
            f"pass `{what}` as an argument, or call {name}.__wrapped__",
            name,
        )
        error.file, error.line, error.source_line = at.file, at.line, at.source_line
        error.column, error.end_column = at.column, at.end_column
        return error


def _bindings(functions: Iterable[types.FunctionType]) -> Iterator[tuple[Any, str, Any]]:
    """The owners, names and values of variables and attributes that this code may read."""
    names, owners = set[str](), list[Any]()
    for function in functions:
        names |= names_in(function.__code__)
        namespace: Any = function.__globals__
        owners.append(namespace.module if isinstance(namespace, TraceGlobals) else namespace)
        if not made_in_trace(function):  # what is around others was made by the call itself
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
                yield cell, name, contents_of(cell)
            for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
                yield default, f"{function.__name__}.__defaults__", default
    seen = set[int]()
    for owner in owners:  # grows meanwhile
        if id(owner) not in seen:
            seen.add(id(owner))
            held = owner if isinstance(owner, dict) else vars(owner)
            for name in names & held.keys():
                yield owner, name, held[name]
                owners += _owners_in(held[name])


def _owners_in(value: Any) -> Iterator[Any]:
    """The modules and classes of the user's: code asks them for attributes, and may have stored there."""
    if isinstance(value, types.ModuleType) and not is_library_code(value.__name__):
        yield value
    for cls in value.__mro__ if isinstance(value, type) else ():
        if not is_library_code(cls.__module__):
            yield cls


def _is_fixed(value: Any) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(map(_is_fixed, value))
    if isinstance(value, types.BuiltinFunctionType):
        return isinstance(value.__self__, types.ModuleType | None)
    return isinstance(value, (*PLAIN, *_DEFINITIONS)) or hasattr(type(value), "__runtime_inline__")
