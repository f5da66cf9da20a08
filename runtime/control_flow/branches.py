"""A staged `if`: both blocks are traced, what they leave in variables and elsewhere is joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.staging import NOTHING, State
from runtime.control_flow.blocks import Outcome, carry_out, require_visible, trace_block
from runtime.control_flow.joins import Joined, JoinedContents, contents_left, fields_left, learn_fields
from runtime.graph import Block, Operation, Value
from runtime.heap.shadow import Change, Moment
from runtime.tracer.builder import Staged
from runtime.tracer.elements import holds_opaque
from runtime.tracer.spec import Choice, narrowed
from runtime.tracer.trace import Trace, require_trace

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
            outcomes.append(_trace_branch(trace, block, run, state, before, began))
        state.set(before)
        left.append(trace.heap.moment())
        trace.heap.go_back(began)
    trace.heap.meet(began, [end for end, o in zip(left, outcomes, strict=True) if not o.ended], holds_opaque)
    operation = Operation("if", (pred.value,), (), {}, tuple(o.block for o in outcomes))
    fields = fields_left(trace.heap, began, began.references, [o.block for o in outcomes if not o.ended])
    _narrow(trace, outcomes, pred.value, before, fields)
    names = ("the result", *state.names)
    contents = contents_left(trace.heap, began, [(o.block, o.result) for o in outcomes if not o.ended])
    joined = join_paths(trace, operation, outcomes, names, (NOTHING, *before), fields, contents)
    for outcome, holds in zip(outcomes, (True, False), strict=True):
        if outcome.ended:  # what comes next is reached on the other path alone
            trace.implied.learn(pred.value, not holds)
    for position, value in enumerate(joined):
        if isinstance(value, Staged) and value.value.owner is operation:
            ways = [None if o.ended else (o.result[position],) for o in outcomes]
            trace.implied.note_joined(pred.value, value, ways)
    state.set(tuple(joined[1 : len(names)]))
    return joined[0]


def _narrow(
    trace: Trace,
    outcomes: Sequence[Outcome],
    pred: Value,
    before: tuple[Any, ...],
    fields: Sequence[Change],
) -> None:
    """A choice that one path replaces is on the other what the test says: `if best is None: best = x`."""
    if any(outcome.ended for outcome in outcomes):
        return
    results = [list(outcome.result) for outcome in outcomes]
    for number, holds in enumerate((True, False)):
        fact = trace.implied.where(pred, holds)
        for place, held in enumerate(before, start=1):
            if isinstance(held, Choice) and outcomes[number].result[place] is held:
                if outcomes[1 - number].result[place] is not held:
                    results[number][place] = narrowed(held, fact)
        for field in fields:
            if isinstance(field.before, Choice) and field.values[number] is field.before:
                only = narrowed(field.before, fact)
                if isinstance(only, Staged):  # neither a structure nor an object, which others may hold
                    field.values[number] = only
    for outcome, values in zip(outcomes, results, strict=True):
        outcome.result = tuple(values)


def join_paths(
    trace: Trace,
    operation: Operation,
    outcomes: list[Outcome],
    names: tuple[str, ...],
    before: tuple[Any, ...],
    fields: Sequence[Change] = (),
    contents: tuple[list[list[Any]], list[JoinedContents]] = ([], []),
) -> list[Any]:
    """Append ``operation``, whose blocks left ``outcomes``: the joined values of ``names``, and of others.

    ``fields``: attributes and static places whose values are joined, too; they hold these from here on.
    ``contents``: items of lists and dicts, and which ones these are.

    Ends the path where none of the blocks comes to its end.
    """
    live = [outcome for outcome in outcomes if not outcome.ended]
    if not live:
        trace.append(operation)
        trace.end_path()
    columns = [*contents[0], *(field.values for field in fields)]
    names = (*names, *["item"] * len(contents[0]), *(field.name for field in fields))
    for number, outcome in enumerate(live):
        outcome.result = (*outcome.result, *(column[number] for column in columns))
    left = [o.result for o in live]
    before = (*before, *[NOTHING] * len(columns))
    joined = Joined(trace, names, left, before)
    for index, outcome in enumerate(live):
        with trace.into(outcome.block):
            outcome.block.results = tuple(joined.flat(index))
    operation.outputs = tuple(Value(type, hint, operation) for type, hint in joined.types())
    trace.append(operation)
    variables = joined.rebuild(iter(operation.outputs))
    learn_fields(trace.heap, fields, variables[len(variables) - len(fields) :])
    for container in contents[1]:
        container.learn(trace.heap, variables)
    if len(live) == 1:
        carry_out(trace, operation, live[0].block, variables)
    else:
        require_visible(trace, [o.block for o in live], zip(names, variables, strict=True))
    return variables


def _trace_branch(
    trace: Trace,
    block: Block,
    run: Callable[[], Any],
    state: State,
    before: tuple[Any, ...],
    began: Moment,
) -> Outcome:
    def branch() -> tuple[Any, ...]:
        result = run()
        values = (result, *state.get())
        del result
        state.set(before)
        return values

    return trace_block(trace, block, branch, began, state)
