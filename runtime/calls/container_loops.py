"""Loops over containers of the run, whose length may change while they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from autograph.operators import and_
from autograph.staging import State
from runtime.control_flow.branches import branch
from runtime.control_flow.builtin_iterables import ItemIterator
from runtime.control_flow.indexed import Indexed
from runtime.control_flow.loops import for_loop
from runtime.graph import Operation, Value, effects
from runtime.graph.liveness import used_values
from runtime.graph.user_locations import user_location
from runtime.heap.places import may_meet
from runtime.iterables.advancing import AdvancingIterator
from runtime.ops.methods import GROWS, METHODS
from runtime.staged.containers import StagedContainer, View
from runtime.tracer.decisions import Restart
from runtime.tracer.trace import Trace
from runtime.types import ContainerType

_DICTS = ("dict", "defaultdict", "Counter")


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
    if source.is_resized():
        raise trace.refuse(
            f"what {source.what} runs over has changed its length since", "make it where it is used"
        )
    table = _dict_of(iterable)
    is_list = isinstance(iterable, StagedContainer) and iterable.type.name == "list"
    grows = site in trace.decisions.growing and (is_list or table is not None)
    if is_list and grows:  # asking for the length each time, as Python does
        AdvancingIterator(trace, source, type(iter([])), follows=True).iterate(test, body, state)
        return
    if grows:
        _while_none_is_added(table, iterable, test, body, state)
    else:
        for_loop(source.bounds, source.item, test, body, state)
    sites = frozenset().union(*[container.type.sites for container in source.over])
    loop = trace.block.operations[-1]
    refusal = trace.refuse(
        f"a container changes its length in a loop over {source.what}", "iterate over a copy: list(...)"
    )
    fresh = _made_for(trace, loop).difference(one.value for one in source.over)

    def check() -> None:
        if not changes_length(trace, loop, sites, fresh, by_growing=not grows):
            return
        if isinstance(iterable, ItemIterator):
            iterable.may_advance_anywhere()
        if not is_list and (table is None or changes_length(trace, loop, sites, fresh, by_growing=False)):
            raise refusal
        growing = trace.decisions.growing | {site}
        raise Restart(replace(trace.decisions, growing=growing), "the list changes its length meanwhile")

    check()
    if trace.calls.inside:  # what a function does that calls itself is known when it is traced
        trace.containers.at_end.append((loop, check))


def _dict_of(iterable: Any) -> Any:
    """The dict that a loop runs over, itself or by a view, and whose growth Python complains of."""
    container = iterable.over[0] if isinstance(iterable, View) else iterable
    return container if isinstance(container, StagedContainer) and container.type.name in _DICTS else None


def _while_none_is_added(
    table: Any, iterable: Any, test: Callable[[], Any] | None, body: Callable[[Any], Any], state: State
) -> None:
    """``for key in table``, where the body may store under new keys: the step to the next one complains then.

    As long as nothing is taken out, the keys of an unchanged length are those from the start. Items and
    values are read when it is their turn.
    """
    keys = table.items_now()
    length = keys.length()
    kind = iterable.name if isinstance(iterable, View) else "keys"

    def item(i: Any) -> Any:
        if kind == "keys":
            return keys[i]
        value = table.item_at(keys[i])
        return (keys[i], value) if kind == "items" else value

    def complain() -> None:
        raise RuntimeError("dictionary changed size during iteration")

    def step(one: Any) -> None:
        body(one)
        has_grown = table.length() != length
        branch(has_grown if test is None else and_(has_grown, test), complain, lambda: None)

    for_loop((0, length, 1), item, test, step, state)


def changes_length(
    trace: Trace,
    loop: Operation,
    sites: frozenset[Any],
    others: set[Value],
    by_growing: bool = True,
) -> bool:
    """May the body change the length of a container that was made at one of these places?

    ``others`` are containers that the loop surely does not run over; ``by_growing``: new keys of a dict, too.
    """
    return any(
        operation.calls_python
        or (
            effects.changes_length(operation)
            and (by_growing or METHODS[operation.name].writes != GROWS)
            and operation.inputs[0] not in others
            and may_meet(operation.inputs[0].expect(ContainerType).sites, sites)
        )
        for operation in trace.calls.with_called([loop])
    )


def _made_for(trace: Trace, loop: Operation) -> set[Value]:
    """Containers made before the loop that nothing has used since: nobody can have given them to it."""
    fresh: set[Value] = set()
    for operation in trace.block.operations:
        if operation is loop:
            break
        fresh.difference_update(used_values(operation))
        if operation.makes_container:
            fresh.update(operation.outputs)
    return fresh
