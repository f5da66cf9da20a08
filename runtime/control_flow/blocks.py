"""A block of staged control flow: the Python code that fills it is run, and what it stored is undone.

What the block leaves in variables and slots is the outcome; the statement joins the outcomes of its blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from autograph.errors import AutographError
from autograph.records import record
from autograph.staging import State
from runtime.graph import Block
from runtime.tracer.captures import Capture
from runtime.tracer.cells import watch_leaving
from runtime.tracer.decisions import Control, PathEnded
from runtime.tracer.elements import holds_opaque
from runtime.tracer.faults import unrefused
from runtime.tracer.slots import Contents, LocalAttribute
from runtime.tracer.trace_base import Frame, Slot

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


@record(slots=False, frozen=False, eq=False)
class Outcome:
    """What tracing a block gave: its end, what the runner returned, and the values of the slots it wrote."""

    block: Block
    result: Any
    slots: dict[Hashable, tuple[Slot, Any, Any]]  # key -> slot, before, after
    views: dict[Hashable, Any] = field(default_factory=dict)  # of those slots: what they leave, for joining
    heads: dict[Hashable, Any] = field(
        default_factory=dict
    )  # of a loop's body: the slots' values at its head

    @property
    def ended(self) -> bool:
        return self.block.ends == "never"


def trace_block(
    trace: Trace,
    block: Block,
    run: Callable[[], Any],
    lists: Sequence[Any] = (),
    state: State | None = None,
    before: Sequence[Any] | None = None,
    heads: Iterable[Slot] = (),
) -> Outcome:
    """Run Python code that fills ``block``, then undo its stores to slots; say what it did.

    ``lists`` are containers that the code may change with ``+=``, which no hook sees; ``state`` is that
    of the statement, whose variables the caller looks after. With ``before``, what these held, ``run``
    gives a tuple of what they hold now. ``heads`` are slots that hold other values at the block's head than
    before the statement: what a loop carries, what a handler was handed over.
    """
    around = trace.frames[-1] if trace.frames else None
    frame = Frame(block, outer=around, heads={slot.key: slot for slot in heads})
    views: dict[Hashable, Any] = {}
    frame.copies = [(one, one.copy()) for one in lists]
    trace.frames.append(frame)
    result = None
    try:
        with trace.into(block):
            try:
                result = run()
                trace.outside.sealed.check()
                if before is not None:
                    facts = list(filter(holds_opaque, trace.heap.learned_here()))
                    left = [*result, *(slot.get() for slot, _ in frame.written.values()), *facts]
                    watch_leaving(trace, left, frame, state)
                    del left, facts  # references are counted
                if before is not None:
                    result, views = _capture(trace, frame, result, before)
            except PathEnded:
                block.ends = "never"
            except (AutographError, Control):
                raise
            except Exception as error:  # noqa: BLE001  any error of the user's code is staged
                trace.raise_at_run_time(unrefused(error))
    finally:
        trace.frames.pop()
        _note_changed_lists(trace, frame)
        frame.copies = []
        slots = {key: (slot, before, slot.get()) for key, (slot, before) in frame.written.items()}
        for slot, before, _ in slots.values():
            slot.set(before)
    return Outcome(block, result, slots, views)


def _capture(
    trace: Trace, frame: Frame, values: tuple[Any, ...], before: Sequence[Any]
) -> tuple[tuple[Any, ...], dict[Hashable, Any]]:
    """What the block leaves in variables and slots, while its instances have their attributes."""
    slots = [slot for slot, _ in frame.written.values()]
    owners = [slot.key[1] if isinstance(slot, LocalAttribute) else None for slot in slots]  # type: ignore[index]
    capture = Capture(trace, trace.block, values, [slot.get() for slot in slots], before, owners)
    gone = [s for s, owner in zip(slots, owners, strict=True) if owner is not None and capture.is_gone(owner)]
    views = {slot.key: view for slot, view in zip(slots, capture.slots, strict=True)}
    for slot in gone:
        del frame.written[slot.key], views[slot.key]
    return tuple(capture.values), views


def _note_changed_lists(trace: Trace, frame: Frame) -> None:
    for container, before in frame.copies:
        slot = Contents(trace, ("contents", id(container)), "a list", container)
        if slot.key not in frame.written and not same_items(container, before):
            frame.written[slot.key] = (slot, before)


def same_items(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(lambda x, y: x is y, a.values(), b.values()))
    return len(a) == len(b) and all(map(lambda x, y: x is y, a, b))
