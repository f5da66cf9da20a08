"""A block of staged control flow: the Python code that fills it is run, and what it stored is undone.

What the block leaves in variables and slots is the outcome; the statement joins the outcomes of its blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from autograph.errors import AutographError
from autograph.records import record
from autograph.staging import State
from runtime.graph import Block
from runtime.tracer.cells import watch_leaving
from runtime.tracer.decisions import Control, PathEnded
from runtime.tracer.elements import holds_opaque
from runtime.tracer.faults import unrefused
from runtime.tracer.trace_base import Frame, Slot

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


Slots = dict[Hashable, tuple[Slot, Any]]


@record(slots=False, frozen=False, eq=False)
class Outcome:
    """What tracing a block gave: its end, what the runner returned, and the values of the slots it wrote."""

    block: Block
    result: Any
    slots: dict[Hashable, tuple[Slot, Any, Any]]  # key -> slot, before, after

    @property
    def ended(self) -> bool:
        return self.block.ends == "never"


def trace_block(
    trace: Trace,
    block: Block,
    run: Callable[[], Any],
    state: State | None = None,
    before: Sequence[Any] | None = None,
    heads: Iterable[Slot] = (),
) -> Outcome:
    """Run Python code that fills ``block``, then undo its stores to slots; say what it did.

    ``state`` is that of the statement, whose variables the caller looks after. With ``before``, what these
    held, ``run`` gives a tuple of what they hold now. ``heads`` are slots that hold other values at the
    block's head than before the statement: what a loop carries, what a handler was handed over.
    """
    around = trace.frames[-1] if trace.frames else None
    frame = Frame(block, outer=around, heads={slot.key: slot for slot in heads})
    trace.frames.append(frame)
    result = None
    try:
        with trace.into(block):
            try:
                result = run()
                if before is not None:
                    facts = list(filter(holds_opaque, trace.heap.learned_here()))
                    left = [*result, *(slot.get() for slot, _ in frame.written.values()), *facts]
                    watch_leaving(trace, left, frame, state)
            except PathEnded:
                block.ends = "never"
            except (AutographError, Control):
                raise
            except Exception as error:  # noqa: BLE001  any error of the user's code is staged
                trace.raise_at_run_time(unrefused(error))
    finally:
        trace.frames.pop()
        slots = {key: (slot, before, slot.get()) for key, (slot, before) in frame.written.items()}
        for slot, before, _ in slots.values():
            slot.set(before)
    return Outcome(block, result, slots)


def written_slots(outcomes: Sequence[Outcome]) -> Slots:
    """The slots that any of the blocks wrote, with their values before."""
    return {key: (slot, before) for one in outcomes for key, (slot, before, _) in one.slots.items()}


def values_of_slots(outcomes: Sequence[Outcome], slots: Slots) -> list[list[Any]]:
    """What each of the blocks leaves in each of ``slots``, which are given with their values before."""
    return [[_left(outcome, slot, before) for slot, before in slots.values()] for outcome in outcomes]


def _left(outcome: Outcome, slot: Slot, before: Any) -> Any:
    return outcome.slots[slot.key][2] if slot.key in outcome.slots else before
