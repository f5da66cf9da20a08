"""Calls of functions that keep their results: `functools.cache` and `lru_cache`.

One that was made in the trace has a dict of the run, and does with it what Python does. One from outside is
traced as other functions are, for a cache changes no number. It does change how often something happens, and
whose list it is: one that has an effect, or gives what its callers may change, is refused; what it may read,
`cache_readings.py` says. One that calls itself on what only a run knows has a dict for each run: without it,
what takes a moment in Python could take for ever.
"""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

from autograph.operators import Undefined, call, if_exp
from runtime.callees.cache_readings import PLAIN, Readings
from runtime.graph.effects import effects_of
from runtime.ops.definition import REGISTRY
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice
from runtime.types import STR, NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.graph import Block, Operation
    from runtime.tracer.trace import Trace


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
