"""Calls of `functools.lru_cache` functions: the function itself is traced, for a cache changes no number.

It does change how often something happens, so one that prints, stores or writes is refused; and whose list it
is, so one that gives what its callers may change is refused, too. A function that
calls itself on what only a run knows has a table for each run, of what it gave for which arguments: without
one, what takes a moment in Python could take for ever.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.operators import Undefined, call, if_stmt
from runtime.callees.cache_readings import PLAIN, Readings, is_table
from runtime.graph import Value
from runtime.ops.definition import REGISTRY
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, ObjectType

if TYPE_CHECKING:
    from runtime.graph import Block, Operation
    from runtime.tracer.trace import Trace


def call_cached(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call of an `lru_cache` function."""
    caches, name, given = trace.caches, function.__wrapped__.__name__, (*args, *kwargs.values())
    under_way = any(reading.function is function for reading in caches.readings.under_way)
    if under_way and any(isinstance(arg, Staged) for arg in given):
        caches.require_table(function)
    key = _key_of(function, args, kwargs)
    block, result = caches.kept.get((function, key), (None, None))
    if block in trace.blocks:
        caches.readings.again(function)
        return result
    reading = caches.readings.begin(function, caches.births.get(function))
    before, asked_before = len(trace.block.operations), trace.heap.asked()
    try:
        result = caches.call(function, args, kwargs)
    finally:
        caches.readings.under_way.remove(reading)
    operations = list(trace.calls.with_called(trace.block.operations[before:]))
    caches.readings.end(reading, operations, given, trace.heap.asked_since(asked_before))
    own = {op.output for op in operations if op.name in ("object.make", "list.new")}
    if any(_acts(op, own) for op in operations):
        raise trace.refuse(
            f"`{name}` has a cache (lru_cache) and an effect, which a graph would repeat in each call",
            f"take the effect out of `{name}`, or call {name}.__wrapped__ where it is to happen each time",
            name,
        )
    shared = _shared(trace, result)
    if shared is not None:
        raise trace.refuse(
            f"`{name}` has a cache (lru_cache) and gives {shared}, which is the same object for all who call "
            "it: a graph would make a new one in each call",
            f"give a number or a tuple of numbers, call `{name}` outside the decorated function and pass the "
            f"result, or call {name}.__wrapped__ where a new one is meant",
            name,
        )
    if key is not None:
        caches.kept[function, key] = trace.block, result
    return result


#: which of two equal ones it is, nobody can tell; functions and classes are mostly found, not made
_VALUES = (
    int, float, complex, str, bytes, type(None), type(...), range, slice, np.generic, np.dtype, enum.Enum,
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
)  # fmt: skip


def _shared(trace: Trace, result: Any) -> str | None:
    """What of the result of a cached call somebody may change, or tell from another one like it."""
    if isinstance(result, Choice | tuple | frozenset):
        parts = result.values if isinstance(result, Choice) else result
        return next(filter(None, (_shared(trace, part) for part in parts)), None)
    if isinstance(result, Staged):
        is_reference = isinstance(result.type, ArrayType | ObjectType)
        is_made_here = not any(result.value is parameter for parameter in trace.body.params)
        return f"a {result.type}" if is_made_here and is_reference else None
    if isinstance(result, (*_VALUES, Undefined)):
        return None
    from_outside = trace.outside.original(result) is not None or trace.outside.is_outside(result)
    return None if from_outside else f"a {getattr(result, 'stands_for', type(result).__name__)}"


class Caches:
    """The functions with a cache that one trace calls, and the tables of those that call themselves."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.tables: dict[Any, Any] = {}
        self.births: dict[Any, Block] = {}  # of those that the trace made
        self.readings = Readings(trace)
        #: what calls gave for plain arguments, and in which block; it is there on each path that leads here
        self.kept: dict[Any, tuple[Block, Any]] = {}

    def born(self, made: Any) -> Any:
        """A function that was just given a cache, an empty one each time."""
        if isinstance(made, functools._lru_cache_wrapper):
            self.births[made] = self.trace.block
        return made

    def require_table(self, function: Any) -> None:
        """Begin again with a table for the results of this function."""
        containers = self.trace.containers
        if site_of(function) not in containers.elements:
            containers.restart(
                {**containers.elements, site_of(function): (None, None)},
                f"`{function.__wrapped__.__name__}` has a cache and calls itself",
            )

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if site_of(function) not in self.trace.containers.elements:
            return call(function.__wrapped__, *args, **kwargs)
        table = self.tables.get(function)
        if table is None:
            with self.trace.into(self.births.get(function, self.trace.body)):
                table = self.trace.containers.make({}, site_of(function))
            self.tables[function] = table
        key = (*args, *kwargs.items())
        found: list[Any] = [Undefined("result")]

        def look_up() -> None:
            found[0] = table[key]

        def compute() -> None:
            found[0] = call(function.__wrapped__, *args, **kwargs)
            table[key] = found[0]

        def put(values: tuple[Any, ...]) -> None:
            (found[0],) = values

        if_stmt(table.contains(key), look_up, compute, lambda: tuple(found), put, ("result",))
        return found[0]


def _acts(operation: Operation, own: AbstractSet[Value]) -> bool:
    """Would somebody see how often it happens? ``own``: objects that nobody else has."""
    name, inputs = operation.name, operation.inputs
    if inputs and inputs[0] in own and name.startswith(("object.", "list.")):
        return False
    if name in ("raise", "object.make", "list.new", "call_function") or name not in REGISTRY:
        return False
    if any(is_table(value.type) for value in (*inputs[:1], *operation.outputs[:1])):
        return False
    kinds = tuple([value.type for value in inputs])
    return REGISTRY[name].effects_of(kinds, operation.attributes).ordered


def _key_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What tells a call of a cached function from others, as the cache does; None where only a run knows."""
    values = (*args, *kwargs.values())
    if any(isinstance(value, Staged | Choice) or not isinstance(value, PLAIN) for value in values):
        return None
    return functools._make_key(args, kwargs, function.cache_parameters()["typed"])


def site_of(function: Any) -> tuple[str, Any]:
    """Under which the containers of a trace know the tables of a function, whichever closure it is."""
    return "cache", getattr(function.__wrapped__, "__code__", function)
