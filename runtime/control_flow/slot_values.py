"""What paths leave in slots: places that converted code can write, beside its variables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from runtime.control_flow.blocks import Outcome
from runtime.tracer.trace_base import Slot

Slots = dict[Hashable, tuple[Slot, Any]]


def written_slots(outcomes: Sequence[Outcome]) -> Slots:
    """The slots that any of the blocks wrote, with their values before."""
    return {key: (slot, before) for one in outcomes for key, (slot, before, _) in one.slots.items()}


def values_of_slots(outcomes: Sequence[Outcome], slots: Slots) -> list[list[Any]]:
    """What each of the blocks leaves in each of ``slots``, which are given with their values before."""
    return [[_left(outcome, slot, before) for slot, before in slots.values()] for outcome in outcomes]


def _left(outcome: Outcome, slot: Slot, before: Any) -> Any:
    return outcome.slots[slot.key][2] if slot.key in outcome.slots else before
