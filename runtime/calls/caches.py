"""Calls of functions that keep their results: `functools.cache` and `lru_cache`; what these may read.

One that was made in the trace has a dict of the run, and does with it what Python does. One from outside is
traced as other functions are, for a cache changes no number. It does change how often something happens, and
whose list it is: one that has an effect, or gives what its callers may change, is refused; what it may read
never changes. One that calls itself on what only a run knows has a dict for each run: without it,
what takes a moment in Python could take for ever.

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
from autograph.operators import Undefined, call, if_exp
from autograph.records import record
from runtime.graph.effects import effects_of
from runtime.guards.descriptions import names_in
from runtime.objects.acting import is_library_code
from runtime.ops.definition import REGISTRY
from runtime.tracer.builder import Staged
from runtime.tracer.cells import contents_of
from runtime.tracer.spec import Choice
from runtime.tracer.static_places import TraceGlobals, made_in_trace
from runtime.types import STR, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.graph import Block, Operation
    from runtime.tracer.trace import Trace


#: values that never change
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, enum.Enum)
#: what is called, or asked for what it holds by names that code mentions
_CONSTANT = (
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
    return isinstance(value, (*PLAIN, *_CONSTANT)) or hasattr(type(value), "__runtime_inline__")


def call_cached(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call of an `lru_cache` function."""
    caches, name, given = trace.caches, function.__wrapped__.__name__, (*args, *kwargs.values())
    if function in caches.made_here:
        return caches.call(function, args, kwargs)
    for arg in given:
        if not _is_plain(arg, PLAIN):
            raise trace.refuse(
                f"`{name}` has a cache (lru_cache) and gets a {_kind(arg)}: results are kept for numbers, "
                "texts and tuples of them",
                f"pass the numbers that `{name}` reads of it, or call {name}.__wrapped__",
                name,
            )
    is_known = not any(isinstance(arg, Staged | Choice | tuple) for arg in given)
    if function in caches.readings.under_way and not is_known:
        caches.require_table(function)
    key = functools._make_key(args, kwargs, function.cache_parameters()["typed"]) if is_known else None
    block, result = caches.kept.get((function, key), (None, None))
    if block in trace.blocks:
        return result
    caches.readings.begin(function)
    before = len(trace.block.operations)
    try:
        result = caches.call(function, args, kwargs)
    finally:
        caches.readings.under_way.remove(function)
    if any(map(_acts, trace.calls.with_called(trace.block.operations[before:]))):
        raise trace.refuse(
            f"`{name}` has a cache (lru_cache) and an effect, which a graph would repeat in each call",
            f"take the effect out of `{name}`, or call {name}.__wrapped__ where it is to happen each time",
            name,
        )
    if not _is_plain(result, (*PLAIN, *_DEFINITIONS)):
        raise trace.refuse(
            f"`{name}` has a cache (lru_cache) and gives a {_kind(result)}, which is the same object for all "
            "who call it: a graph would make a new one in each call",
            f"give a number or a tuple of numbers, call `{name}` outside the decorated function and pass the "
            f"result, or call {name}.__wrapped__ where a new one is meant",
            name,
        )
    if is_known:
        caches.kept[function, key] = trace.block, result
    return result


#: functions and classes are mostly found, not made
_DEFINITIONS = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, Undefined)


def _is_plain(value: Any, kinds: tuple[type, ...]) -> bool:
    """Can nobody change it, nor tell it from another one that is equal?"""
    if isinstance(value, Choice | tuple | frozenset):
        return all(_is_plain(part, kinds) for part in (value.values if isinstance(value, Choice) else value))
    if isinstance(value, Staged):
        return isinstance(value.type, NumberType | ScalarType) or value.type == STR
    return isinstance(value, kinds)


def _kind(value: Any) -> str:
    return str(value.type) if isinstance(value, Staged) else type(value).__name__


class Caches:
    """The functions with a cache that one trace calls, and the dicts of those that have one."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.tables: dict[Any, Any] = {}
        self.made_here = set[Any]()
        self.readings = Readings(trace)
        #: what calls gave for plain arguments, and in which block; it is there on each path that leads here
        self.kept: dict[Any, tuple[Block, Any]] = {}

    def born(self, made: Any) -> Any:
        """A function that was just given a cache, an empty one each time."""
        if isinstance(made, functools._lru_cache_wrapper):
            if made.cache_parameters() != {"maxsize": None, "typed": False}:
                raise self.trace.refuse(
                    "an lru_cache that is made inside forgets some results, or tells 1 from 1.0",
                    "write functools.cache, or make the function outside",
                )
            self.made_here.add(made)
            self.tables[made] = self.trace.containers.born({}, site_of(made))
        return made

    def require_table(self, function: Any) -> None:
        """Begin again with a dict for the results of this function."""
        containers = self.trace.containers
        if site_of(function) not in containers.elements:
            containers.restart(
                {**containers.elements, site_of(function): (None, None)},
                f"`{function.__wrapped__.__name__}` has a cache and calls itself",
            )

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if site_of(function) not in self.trace.containers.elements:
            return call(function.__wrapped__, *args, **kwargs)
        if function not in self.tables:
            with self.trace.into(self.trace.body):
                self.tables[function] = self.trace.containers.make({}, site_of(function))
        table, key = self.tables[function], (*args, *kwargs.items())

        def compute() -> Any:
            result = call(function.__wrapped__, *args, **kwargs)
            table[key] = result
            return result

        return if_exp(table.contains(key), lambda: table[key], compute)


def site_of(function: Any) -> tuple[str, Any]:
    """Under which the containers of a trace know the dict of a function, whichever closure it is."""
    return "cache", getattr(function.__wrapped__, "__code__", function)


#: of what the function itself has made: it has nothing else
_OF_ITS_OWN = frozenset({"container", "object", "control flow", "shadow"})


def _acts(operation: Operation) -> bool:
    """Would somebody see how often it happens?"""
    definition = REGISTRY.get(operation.name)
    if definition is None or definition.family in _OF_ITS_OWN:
        return False
    effects = effects_of(operation)
    return effects.ordered and not effects.leaves and not effects.makes
