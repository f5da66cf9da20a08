"""A staged `if`: both blocks are traced, what they leave in variables and slots is joined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograph.staging import NOTHING, State
from runtime.control_flow.blocks import Outcome, trace_block, values_of_slots, written_slots
from runtime.control_flow.carried_parts import carry_out, require_visible
from runtime.control_flow.joined_contents import JoinedContents, contents_left
from runtime.control_flow.joined_fields import fields_left, learn_fields
from runtime.control_flow.joins import Joined
from runtime.graph import Block, Operation, Value
from runtime.heap.shadow import Change
from runtime.tracer.builder import Staged
from runtime.tracer.elements import holds_opaque
from runtime.tracer.implied import narrowed
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, require_trace
from runtime.tracer.trace_base import Slot

NO_STATE = State((), lambda: (), lambda values: None)


def branch(
    pred: Any,
    then: Callable[[], Any],
    orelse: Callable[[], Any],
    state: State = NO_STATE,
) -> Any:
    """``then() if pred else orelse()`` in the graph; ``state`` gets the joined values.

    Returns the joined result.
    """
    trace = require_trace()
    if not isinstance(pred, Staged):
        return then() if pred else orelse()
    before = state.get()
    outcomes: list[Outcome] = []
    began, left = trace.heap.moment(), []
    for run, holds in ((then, True), (orelse, False)):
        block = Block()
        with trace.implied.within(block, pred.value, holds):
            outcomes.append(_trace_branch(trace, block, run, state, before))
        state.set(before)
        left.append(trace.heap.moment())
        trace.heap.go_back(began)
    trace.heap.meet(began, [end for end, o in zip(left, outcomes, strict=True) if not o.ended], holds_opaque)
    _narrow(trace, outcomes, pred.value, before)
    operation = Operation("if", (pred.value,), (), {}, tuple(o.block for o in outcomes))
    fields = fields_left(trace.heap, began, began.references, [o.block for o in outcomes if not o.ended])
    names = ("the result", *state.names)
    contents = contents_left(trace.heap, began, [(o.block, o.result) for o in outcomes if not o.ended])
    (result, *variables), slots = join_paths(
        trace, operation, outcomes, names, (NOTHING, *before), fields=fields, contents=contents
    )
    for outcome, holds in zip(outcomes, (True, False), strict=True):
        if outcome.ended:  # what comes next is reached on the other path alone
            trace.implied.learn(pred.value, not holds)
    for value, ends in _joined(outcomes, (result, *variables), slots):
        if isinstance(value, Staged) and value.value.owner is operation:
            trace.implied.note_joined(pred.value, value, ends)
    state.set(tuple(variables))
    for slot, value in slots:
        trace.merge(slot, value)
    return result


def _joined(
    outcomes: list[Outcome], variables: tuple[Any, ...], slots: list[tuple[Slot, Any]]
) -> Iterator[tuple[Any, list[tuple[Any] | None]]]:
    """Each joined value, and what the paths left that come to their end."""
    for position, value in enumerate(variables):
        yield value, [None if o.ended else (o.result[position],) for o in outcomes]
    for slot, value in slots:
        unwritten = None, None, slot.get()
        yield value, [None if o.ended else (o.slots.get(slot.key, unwritten)[2],) for o in outcomes]


def _narrow(trace: Trace, outcomes: Sequence[Outcome], pred: Value, before: tuple[Any, ...]) -> None:
    """A choice that one path replaces is on the other what the test says: `if best is None: best = x`."""
    then, orelse = outcomes
    for outcome, other, holds in ((then, orelse, True), (orelse, then, False)):
        if outcome.ended or other.ended:
            continue
        fact, values = trace.implied.where(pred, holds), [*outcome.result]
        for place, held in enumerate(before, start=1):
            if isinstance(held, Choice) and values[place] is held and other.result[place] is not held:
                values[place] = narrowed(held, fact)
        outcome.result = tuple(values)
        for key, (slot, held, _) in other.slots.items():
            if isinstance(held, Choice) and key not in outcome.slots:
                only = narrowed(held, fact)
                if isinstance(only, Staged):  # neither a structure nor an object, which others may hold
                    outcome.slots[key] = (slot, held, only)


def join_paths(
    trace: Trace,
    operation: Operation,
    outcomes: list[Outcome],
    names: tuple[str, ...],
    before: tuple[Any, ...],
    fields: Sequence[Change] = (),
    contents: tuple[list[list[Any]], list[JoinedContents]] = ([], []),
) -> tuple[list[Any], list[tuple[Slot, Any]]]:
    """Append ``operation``, whose blocks left ``outcomes``: the joined values of ``names``, and of slots.

    ``fields``: attributes whose values are joined, too. ``contents``: items of lists and dicts, and which
    ones these are.

    Ends the path where none of the blocks comes to its end.
    """
    live = [outcome for outcome in outcomes if not outcome.ended]
    if not live:
        trace.append(operation)
        trace.end_path()
    columns = [*contents[0], *(field.values for field in fields)]
    count, names = len(names), (*names, *["item"] * len(contents[0]), *(field.name for field in fields))
    for number, outcome in enumerate(live):
        outcome.result = (*outcome.result, *(column[number] for column in columns))
    left = [o.result for o in live]
    before = (*before, *[NOTHING] * len(columns))
    joined = Joined(trace, names, left, before)
    slots = written_slots(live)
    after = values_of_slots(live, slots)
    joined_slots = Joined(trace, tuple(s.name for s, _ in slots.values()), after)
    for index, outcome in enumerate(live):
        with trace.into(outcome.block):
            outcome.block.results = (*joined.flat(index), *joined_slots.flat(index))
    types = [*joined.types(), *joined_slots.types()]
    operation.outputs = tuple(Value(type, hint, operation) for type, hint in types)
    trace.append(operation)
    values = iter(operation.outputs)
    variables, held = joined.rebuild(values), joined_slots.rebuild(values)
    learn_fields(trace.heap, fields, variables[len(variables) - len(fields) :])
    for container in contents[1]:
        container.learn(trace.heap, variables)
    stored = list(zip([slot for slot, _ in slots.values()], held, strict=True))
    if len(live) == 1:
        carry_out(trace, operation, live[0].block, (*variables, *held))
    else:
        require_visible(trace, [o.block for o in live], zip(names, variables, strict=True), stored)
    return variables[:count], stored


def _trace_branch(
    trace: Trace, block: Block, run: Callable[[], Any], state: State, before: tuple[Any, ...]
) -> Outcome:
    def branch() -> tuple[Any, ...]:
        result = run()
        values = (result, *state.get())
        del result
        state.set(before)
        return values

    return trace_block(trace, block, branch, state, before=(NOTHING, *before))
