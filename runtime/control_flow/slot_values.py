"""What paths leave in slots: places that converted code can write, beside its variables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from runtime.control_flow.blocks import Outcome
from runtime.control_flow.carried_parts import own_values
from runtime.ops.template import plain_items
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.tracer.trace_base import Slot

Slots = dict[Hashable, tuple[Slot, Any]]


def written_slots(outcomes: Sequence[Outcome]) -> Slots:
    """The slots that any of the blocks wrote, with their values before."""
    return {key: (slot, before) for one in outcomes for key, (slot, before, _) in one.slots.items()}


def values_of_slots(trace: Trace, outcomes: Sequence[Outcome], slots: Slots) -> list[list[Any]]:
    """What each of the blocks leaves in each of ``slots``, which are given with their values before."""
    return [[_left(trace, outcome, slot, before) for slot, before in slots.values()] for outcome in outcomes]


def _left(trace: Trace, outcome: Outcome, slot: Slot, before: Any) -> Any:
    if slot.key not in outcome.slots:
        return before
    left = outcome.slots[slot.key][2]
    _require_known(trace, outcome, slot, left)
    return left


def _require_known(trace: Trace, outcome: Outcome, slot: Slot, left: Any) -> None:
    """Refuse an instance for which the block alone has the run's object."""
    held = plain_items(left) if isinstance(left, tuple) else [left]
    for item in [one for part in held for one in (part.values if isinstance(part, Choice) else (part,))]:
        real = trace.outside.real.get(id(item)) if trace.outside.is_local(item) else None
        if real is not None and real in own_values(outcome.block):
            trace.references.require_class(item)
            raise trace.refuse(
                f"a {type(item).__name__} that a handler has is kept in `{slot.name}`",
                "keep it in a variable, or keep its text",
                slot.name,
            )
