"""Loops over containers of the run, whose length may change while they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograph.operators import and_
from autograph.staging import State
from runtime.containers.sites import is_outside
from runtime.control_flow.loops import for_loop, while_loop
from runtime.graph import Operation, Value, walk
from runtime.graph.liveness import used_values
from runtime.iterables.iteration import Indexed
from runtime.ops.calling import CALL
from runtime.ops.containers import CHANGERS, KEEP_LENGTH
from runtime.staged.containers import StagedContainer
from runtime.tracer.builder import user_location
from runtime.tracer.decisions import Restart
from runtime.tracer.trace import Trace


def for_each(
    trace: Trace,
    iterable: Any,
    source: Indexed,
    test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    state: State,
) -> None:
    """A staged ``for`` over containers, or over an ``enumerate``, ``zip`` or ``reversed`` of them."""
    location = user_location()
    site = (location.file, location.line)
    if source.seen != trace.containers.resized:
        raise trace.refuse(
            f"what {source.what} runs over has changed its length since", "make it where the loop begins"
        )
    is_list = isinstance(iterable, StagedContainer) and iterable.type.name == "list"
    if is_list and site in trace.decisions.growing:
        _while_there_are(trace, iterable, test, body, state)
        return
    for_loop(source.bounds, source.item, test, body, state)
    sites = frozenset().union(*[container.type.sites for container in source.over])
    loop = trace.block.operations[-1]
    refusal = trace.refuse(
        f"a container changes its length in a loop over {source.what}", "iterate over a copy: list(...)"
    )

    fresh = _made_for(trace, loop).difference(one.value for one in source.over)

    def check() -> None:
        if not changes_length(trace, loop, sites, fresh):
            return
        if not is_list:
            raise refusal
        growing = trace.decisions.growing | {site}
        raise Restart(replace(trace.decisions, growing=growing), "the list changes its length meanwhile")

    check()
    if trace.calls.inside:  # what a function does that calls itself is known when it is traced
        trace.containers.at_end.append((loop, check))


def _while_there_are(
    trace: Trace, items: Any, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State
) -> None:
    """``for item in items``, asking for the length each time, as Python does."""
    place: list[Any] = [0]

    def there_is_more() -> Any:
        more = place[0] < items.length()
        return more if test is None else and_(more, test)

    def step() -> None:
        item = items[place[0]]
        place[0] = place[0] + 1
        body(item)

    def set_all(values: tuple[Any, ...]) -> None:
        place[0] = values[0]
        state.set(tuple(values[1:]))

    wider = State(("place", *state.names), lambda: (place[0], *state.get()), set_all)
    while_loop(there_is_more, step, wider)


def changes_length(trace: Trace, loop: Operation, sites: frozenset[Any], others: set[Value]) -> bool:
    """May the body change the length of a container that was made at one of these places?

    ``others`` are containers that the loop surely does not run over.
    """
    return any(
        operation.name == "call"
        or (
            operation.name in CHANGERS
            and operation.name not in KEEP_LENGTH
            and operation.inputs[0] not in others
            and may_meet(operation.inputs[0].type.sites, sites)  # type: ignore[union-attr]
        )
        for block in loop.blocks
        for one in walk(block)
        for operation in (trace.calls.operations_of(one) if one.name == CALL else (one,))
    )


def _made_for(trace: Trace, loop: Operation) -> set[Value]:
    """Containers made before the loop that nothing has used since: nobody can have given them to it."""
    fresh: set[Value] = set()
    for operation in trace.block.operations:
        if operation is loop:
            break
        fresh.difference_update(used_values(operation))
        if operation.name == "list.new":
            fresh.update(operation.outputs)
    return fresh


def may_meet(a: frozenset[Any], b: frozenset[Any]) -> bool:
    """May containers of these places be the same one? Those from outside may be given twice."""
    return not a.isdisjoint(b) or (any(map(is_outside, a)) and any(map(is_outside, b)))
