"""To what a derivative goes, between the marks of a tape in a graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from runtime.gradients.activity import Activity
from runtime.gradients.expand import not_recorded
from runtime.gradients.rules import ends_here
from runtime.gradients.scope import is_smooth
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.effects import Memory, effects_of
from runtime.graph.liveness import free_in

#: operations of which more has to be known than what they compute from what
_MARKED = frozenset({"record", "custom_gradient", "gradient", "tangent", "stack.push", "stack.pop"})


def reaches(operations: Sequence[Operation], x: Value, results: Sequence[Value], tape: Any) -> bool:
    """Does a derivative of the results with respect to ``x`` go through operations that a tape recorded?"""
    if _holds_calls(operations):
        return True
    if not any(op.blocks or op.name in _MARKED or effects_of(op).writes for op in operations):
        found = {x}  # what is computed, and written nowhere
        for op in operations:
            if not found.isdisjoint(op.inputs) and not ends_here(op):
                found.update([y for y in op.outputs if is_smooth(y.type)])
        return not found.isdisjoint(results)
    free = [value for value in free_in(Block([], list(operations), tuple(results))) if value is not x]
    graph = Graph("tape", Block([x, *free], list(operations), tuple(results)))
    constant = not_recorded(operations, tape)
    activity = Activity(graph, Memory(graph, distinct_params=True), [x], constant=constant)
    return any(map(activity.is_active, results))


def _holds_calls(operations: Sequence[Operation]) -> bool:
    """Are there calls of functions of the graph, which are not traced to the end yet?"""
    return any(op.is_call or any(_holds_calls(block.operations) for block in op.blocks) for op in operations)


def by_mark(
    operations: Sequence[Operation],
    xs: Iterable[Value],
    marks: Mapping[Value, object],
    results: Sequence[Value],
    tape: Any,
    connected: Collection[Value] = (),
) -> dict[Any, list[Value]]:
    """Those of ``xs`` to which a derivative of the results goes, by the mark behind which it begins.

    ``operations`` are those since the tape began. What was computed there has no mark, and is by itself, or
    it would cut the path of another. ``connected`` are known to be reached.
    """
    groups: dict[Any, list[Value]] = {}
    for x in dict.fromkeys(xs):
        mark = marks.get(x)
        at = next(
            (
                k
                for k, op in enumerate(operations)
                if (op is x.owner if mark is None else op.attributes.get("mark") is mark)
            ),
            None,
        )
        if at is None and mark is None:
            continue  # a constant to the tape
        # where the mark is elsewhere, the `gradient` operation says what is wrong
        if at is None or x in connected or reaches(operations[at + 1 :], x, results, tape):
            groups.setdefault(x if mark is None else mark, []).append(x)
    return groups


def gradient_at(
    since: Any, ys: Sequence[Value], seeds: Sequence[Value], wrt: Sequence[Value], tape: Any
) -> Operation:
    """The gradient with respect to one group of `by_mark`."""
    since = None if isinstance(since, Value) else since
    attributes = {"results": len(ys), "strict": False, "since": since, "tape": tape}
    return Operation("gradient", (*ys, *seeds, *wrt), tuple([x.type for x in wrt]), attributes)
