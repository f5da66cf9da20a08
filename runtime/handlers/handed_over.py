"""Lists and dicts in slots, as a `try` hands them to its handler.

    rows = [first, second]
    try:
        rows[0] = [x[0], 0.0]
        raise_something()
    except ValueError:
        rows[0][1] = 1.0

As where paths join, a list that nobody else holds is a structure, which the handler makes anew; any other
is known by identity, and must not hold what only the body knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runtime.control_flow.blocks import Outcome
from runtime.control_flow.carried_parts import own_values
from runtime.control_flow.joins import constants_in, is_container, parts_of, require_known
from runtime.control_flow.slot_values import Slots, values_of_slots
from runtime.graph import Block
from runtime.specs.spec import Dict, List, Object, Spec, Tuple, Variant
from runtime.tracer.slots import Contents
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.tracer.trace_base import Slot

Note = tuple[Slot, Any]


def views_of(
    trace: Trace, slots: Slots, blocks: Sequence[Block], noted: Iterable[Note], holders: Sequence[Any]
) -> Slots:
    """The slots with views of the values given; ``blocks``: those whose values the handler cannot see.

    ``noted``, ``holders``: what else the trace holds for its own purposes.
    """
    if not any(_holds_container(value) for _, value in slots.values()):
        return slots
    body = _as_one(blocks)
    held = {key: (slot, value, value) for key, (slot, value) in slots.items()}
    views = values_of_slots(trace, [Outcome(body, None, held)], slots, noted, holders, copied=True)[0]
    return {key: (slot, view) for (key, (slot, _)), view in zip(slots.items(), views, strict=True)}


def require_known_outside(trace: Trace, values: Sequence[Any], slots: Slots, blocks: Sequence[Block]) -> None:
    """The lists and dicts of variables go to the handler as who they are, and hold nothing of these blocks.

    What those hold that the body changed is handed over by ``slots``.
    """
    changed = {id(slot.container) for slot, _ in slots.values() if isinstance(slot, Contents)}
    containers = [one for value in values for one in _containers(value) if id(one) not in changed]
    if containers:
        own = own_values(_as_one(blocks))
        for container in containers:
            require_known(trace, container, own)


def _containers(value: Any) -> list[Any]:
    """Lists and dicts, those in tuples and choices too."""
    if type(value) in (list, dict):
        return [value]
    parts = value.values if isinstance(value, Choice) else value if isinstance(value, tuple) else ()
    return [found for part in parts for found in _containers(part)]


def _as_one(blocks: Sequence[Block]) -> Block:
    one = Block([param for block in blocks for param in block.params])
    one.operations = [operation for block in blocks for operation in block.operations]
    return one


def _holds_container(value: Any) -> bool:
    """Is it, or holds it as an item or as one of several things, a list, dict or tuple?"""
    if isinstance(value, Choice):
        return any(map(_holds_container, value.values))
    return isinstance(value, list | dict | tuple) and any(
        isinstance(part, list | dict | tuple | Choice) for part in (value, *parts_of(value))
    )


def require_one(trace: Trace, name: str, spec: Spec) -> None:
    """Refuse a slot that holds one of several lists, which the handler would have to tell apart."""
    for variant in _variants(spec):
        for const in constants_in(variant):
            if is_container(trace, const):
                trace.containers.require(const)
                trace.references.require_class(const)
                raise trace.refuse(
                    f"`{name}` holds one of several {type(const).__name__} objects where this `try` raises",
                    "make it before the `try`, and change its items",
                    name,
                )


def _variants(spec: Spec) -> list[Variant]:
    if isinstance(spec, Variant):
        return [spec]
    if isinstance(spec, Tuple | List | Dict | Object):
        return [found for item in spec.items for found in _variants(item)]
    return []
