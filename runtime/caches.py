"""Calls of `functools.lru_cache` functions: the function itself is traced, for a cache changes no result.

It does change how often something happens. So one that prints, stores or writes is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograph.operators import call
from runtime.graph import walk
from runtime.ops.definition import REGISTRY

if TYPE_CHECKING:
    from runtime.graph import Operation
    from runtime.trace import Trace


def call_cached(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call of an `lru_cache` function."""
    trace.poll()  # what was stored before is recorded before
    block, before = trace.block, len(trace.block.operations)
    result = call(function.__wrapped__, *args, **kwargs)
    trace.poll()
    if any(_acts(op) for first in block.operations[before:] for op in (first, *_inside(first))):
        name = function.__wrapped__.__name__
        raise trace.refuse(
            f"`{name}` has a cache (lru_cache) and an effect, which a graph would repeat in each call",
            f"take the effect out of `{name}`, or call {name}.__wrapped__ where it is to happen each time",
            name,
        )
    return result


def _inside(operation: Operation) -> list[Operation]:
    return [op for block in operation.blocks for op in walk(block)]


def _acts(operation: Operation) -> bool:
    definition = REGISTRY.get(operation.name)
    if definition is None or operation.name == "raise":
        return False
    effects = definition.effects_of(tuple(value.type for value in operation.inputs), operation.attributes)
    return effects.ordered
